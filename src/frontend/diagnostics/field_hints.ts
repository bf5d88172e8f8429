import { FILE_DOCS, STEP_DOCS, WORKFLOW_DOCS, type FieldDoc } from '../schema/field_docs.ts';
import { inlineJson } from '../schema/inline_json.ts';
import { INPUT_DOCS } from '../schema/object_docs.ts';
import type { Rule } from '../schema/rules.ts';
import type { Diagnostic } from './diagnostic.ts';

type Docs = Readonly<Record<string, FieldDoc>>;

const LEVELS: readonly (readonly [name: string, docs: Docs])[] = [
  ['the file', FILE_DOCS],
  ['a workflow', WORKFLOW_DOCS],
  ['a step', STEP_DOCS],
  ['an input', INPUT_DOCS],
];

/** The end of a message about a field in a place where it is unknown; undefined if no other place has it. */
export function placeOf(field: string): string | undefined {
  const places = LEVELS.flatMap(([name, docs]) => (Object.hasOwn(docs, field) ? [name] : []));
  return places.length === 0 ? undefined : `; it is a field of ${places.join(' or of ')}`;
}

/** The rules about the kind of a value. The messages of the others contain an example. */
const KINDS: ReadonlySet<Rule> = new Set([
  'an object',
  'an array',
  'a command',
  'a hook',
  'paths',
  'an include',
  'a step',
]);

/** The end of a message: an example of what would be right. Empty if the message suffices. */
export function exampleHint(diagnostic: Diagnostic): string {
  const example = exampleOf(diagnostic);
  return example === undefined ? '' : `; for example ${example}`;
}

function exampleOf(diagnostic: Diagnostic): string | undefined {
  if (diagnostic.code === 'missing field') return fieldExample(diagnostic.field);
  if (diagnostic.code === 'empty step') return fieldExample('run');
  if (diagnostic.code !== 'broken rule' || !KINDS.has(diagnostic.rule)) return undefined;
  const { subject, rule, owner } = diagnostic;
  if (rule === 'a step') return inlineJson({ name: 'test', run: 'npm test' });
  if (subject === 'the file') return inlineJson({ workflows: { ci: { steps: ['npm test'] } } });
  if (subject === 'the workflow') return entry(owner.workflow, { steps: ['npm test'] });
  const [, parent, name] = /^'(?:(\w+)\.)?(\w+)'$/.exec(subject) ?? [];
  if (name === undefined) return undefined;
  if (parent === 'inputs') return entry(name, { required: true });
  return parent === undefined ? fieldExample(name) : undefined;
}

/** An example of a field. Fields of the same name have the same form. */
function fieldExample(field: string): string | undefined {
  const [, docs] = LEVELS.find(([, each]) => Object.hasOwn(each, field)) ?? [];
  return entry(field, docs?.[field]?.examples[0]);
}

function entry(name: string, value: unknown): string | undefined {
  return value === undefined ? undefined : `${JSON.stringify(name)}: ${inlineJson(value)}`;
}
