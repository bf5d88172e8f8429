import { STEP_DOCS, WORKFLOW_DOCS } from '../../../frontend/schema/field_docs.ts';
import { inlineJson } from '../../../frontend/schema/inline_json.ts';
import { INPUT_DOCS, RETRY_DOCS } from '../../../frontend/schema/object_docs.ts';
import { FLAG_NAMES } from '../flags.ts';
import { flagRow, twoColumns } from './help_layout.ts';
import { OBJECTS, type Docs } from './objects.ts';
import { flagsAbout, TOPIC_TEXTS } from './topic_texts.ts';
import { TOPICS, type Topic } from './topic_names.ts';

/** The fields that a topic describes in full. */
const FIELDS: Readonly<Record<Exclude<Topic, 'file'>, Docs>> = {
  variables: pick(WORKFLOW_DOCS, ['env', 'dotenv'], pick(STEP_DOCS, ['with'])),
  conditions: pick(STEP_DOCS, ['if', 'sources', 'generates'], pick(WORKFLOW_DOCS, ['once'])),
  outputs: pick(STEP_DOCS, ['outputs', 'name']),
  inputs: pick(WORKFLOW_DOCS, ['inputs'], INPUT_DOCS),
  parallel: pick(STEP_DOCS, ['parallel', 'max_parallel', 'fail_fast', 'output', 'matrix', 'background', 'ready']),
  resuming: pick(STEP_DOCS, ['on_crash', 'on_resume', 'retry', 'timeout', 'allow_failure'], RETRY_DOCS),
  machines: {},
  ci: pick(STEP_DOCS, ['confirm']),
  'exit-codes': pick(STEP_DOCS, ['run', 'allow_failure']),
};

/** The text of a topic. */
export function topicText(topic: Topic, columns: number): string {
  const own = flagsAbout(topic);
  const flags = FLAG_NAMES.filter((flag) => own.includes(flag)).map((flag) => flagRow(flag, undefined));
  return [
    `${TOPICS[topic]}.`,
    TOPIC_TEXTS[topic],
    ...(topic === 'file' ? fileFormat(columns) : fieldTable('Fields', FIELDS[topic], columns, (text) => text)),
    ...(flags.length === 0 ? [] : [['Flags:', ...twoColumns(flags, columns)].join('\n')]),
  ].join('\n\n');
}

/** All fields of the file format, each with the first sentence of its description. */
function fileFormat(columns: number): string[] {
  return OBJECTS.flatMap(([title, docs]) => fieldTable(title, docs, columns, firstSentence));
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.) /)[0] ?? text;
}

function fieldTable(title: string, docs: Docs, columns: number, shorten: (text: string) => string): string[] {
  const rows = Object.entries(docs).map(([name, { description, examples }]) => {
    return [`"${name}": ${inlineJson(examples[0])}`, shorten(description).replaceAll('`', '')] as const;
  });
  return rows.length === 0 ? [] : [[`${title}:`, ...twoColumns(rows, columns)].join('\n')];
}

function pick(docs: Docs, names: readonly string[], more: Docs = {}): Docs {
  return { ...Object.fromEntries(Object.entries(docs).filter(([name]) => names.includes(name))), ...more };
}
