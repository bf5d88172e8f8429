import { message } from '../../../frontend/diagnostics/diagnostic_message.ts';
import { readWorkflowFile } from '../../../frontend/parse.ts';
import { ruleMessage } from '../../../frontend/schema/rules.ts';
import { brokenRule, Name } from '../../../frontend/schema/schema.ts';
import { calledAmong, calledBy } from './imported.ts';
import type { Imported, ImportedWorkflow, Unconverted, ImportedStep } from './imported.ts';
import { runOnce } from './run_once.ts';
import { schemaLine } from './starter_file.ts';

const REQUIRED = new Map([['required', true]]);

/** The text of a workflow file. Written as text, because an object would move names such as `10` to the front. */
function renderImported(imported: Imported, schema: string | undefined): string {
  const { default: first, dotenv = [], env, workflows } = imported;
  const fields = [
    ...field('default', workflows.find(({ name }) => name === first)?.name),
    ...field('env', env),
    ...field('dotenv', dotenv),
  ];
  return `{${schemaLine(schema)}${fields.map((each) => `\n  ${each},`).join('')}
  "workflows": {${block(workflows.map(renderWorkflow), 4)}}
}
`;
}

function renderWorkflow({ name, steps, ...fields }: ImportedWorkflow): string {
  const lines = [
    ...field('description', fields.description),
    ...field('x-comment', fields.comment),
    ...field('private', fields.private),
    ...field('once', fields.once),
    ...field('aliases', fields.aliases),
    ...field('inputs', new Map(fields.required?.map((input) => [input, REQUIRED]))),
    ...field('env', fields.env),
    ...field('dir', fields.dir),
    `"steps": [${block(steps.map(renderStep), 8)}]`,
  ];
  return `${JSON.stringify(name)}: {${block(lines, 6)}}`;
}

function renderStep(step: ImportedStep): string {
  if ('parallel' in step) return `{ "parallel": [${step.parallel.map(renderStep).join(', ')}] }`;
  const fields = Object.entries(step).filter(([name]) => name !== 'once');
  return 'run' in step && fields.length === 1 ? inline(step.run) : inline(new Map(fields));
}

/** A field on a line of its own; none without a value. */
function field(name: string, value: unknown): string[] {
  const isEmpty = Array.isArray(value) ? value.length === 0 : value instanceof Map && value.size === 0;
  return value === undefined || value === false || isEmpty ? [] : [`"${name}": ${inline(value)}`];
}

/** A value on one line. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (!(value instanceof Map)) return JSON.stringify(value);
  const members = [...value].map(([key, member]) => `${JSON.stringify(key)}: ${inline(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Items on separate lines, with the closing bracket. */
function block(items: readonly string[], indent: number): string {
  if (items.length === 0) return '';
  const space = ' '.repeat(indent);
  return `\n${items.map((item) => `${space}${item}`).join(',\n')}\n${' '.repeat(indent - 2)}`;
}

/** The tool of each kind of workflow. */
const TOOLS = { script: 'npm', recipe: 'just', task: 'task', target: 'make' } as const;

/**
 * The text of a valid workflow file, undefined without workflows, and a line for each part that was not converted. A
 * workflow with an error is not converted, and neither are its callers. With `hasFallback`, workflows that call the other
 * tool replace them.
 */
export async function completeImport(
  imported: Imported,
  schema: string | undefined,
  hasFallback: boolean,
): Promise<Readonly<{ text: string | undefined; leftOut: readonly string[] }>> {
  const leftOut = [...imported.leftOut];
  let { workflows } = imported;
  const omit = (reasons: ReadonlyMap<string, string>): void => {
    for (const [name, reason] of reasons) leftOut.push({ name, reason });
    workflows = workflows.filter(({ name }) => !reasons.has(name));
  };
  omit(badNames(workflows.map(({ name }) => name)));
  for (;;) {
    const reasons = await problemsIn(renderImported({ ...imported, workflows: withPrivateHelpers(workflows) }, schema));
    if (reasons.size === 0) break;
    omit(reasons);
  }
  const fallbacks = new Map(leftOut.flatMap((each) => (hasFallback ? fallback(each, imported) : [])));
  const lines = leftOut.map((each) => {
    if (typeof each === 'string') return each;
    const what = fallbacks.has(each.name) ? `calls ${TOOLS[imported.noun]}` : 'is left out';
    return `${each.place ?? ''}${imported.noun} '${each.name}' ${what}: ${each.reason}`;
  });
  const all = [
    ...withDirectories(runOnce(withPrivateHelpers(workflows))),
    ...withPrivateHelpers([...fallbacks.values()]),
  ];
  return {
    text: all.length === 0 ? undefined : renderImported({ ...imported, workflows: all }, schema),
    leftOut: lines,
  };
}

/** The workflow that calls the other tool for one that is not converted. Neither tool takes a name for a flag. */
function fallback(given: string | Unconverted, imported: Imported): (readonly [string, ImportedWorkflow])[] {
  if (typeof given === 'string' || /^-|\$/.test(given.name) || brokenRule(Name, given.name) !== undefined) return [];
  const workflow = imported.call(given.name);
  return workflow === undefined ? [] : [[given.name, { ...workflow, comment: `not converted: ${given.reason}` }]];
}

/** Helpers are private: a leading `_` or `.` says so in most tools. Others are public if nothing calls them. */
function withPrivateHelpers(workflows: readonly ImportedWorkflow[]): ImportedWorkflow[] {
  const called = new Set(workflows.flatMap(({ steps }) => calledBy(steps)));
  return workflows.map((workflow) => {
    const isPrivate = /^[_.]/.test(workflow.name) || (workflow.private === true && called.has(workflow.name));
    return { ...workflow, private: isPrivate };
  });
}

/** Workflows that one with a directory calls would inherit it: they get the current directory, unless they have their own. */
function withDirectories(workflows: readonly ImportedWorkflow[]): readonly ImportedWorkflow[] {
  const elsewhere = workflows.filter(({ dir }) => dir !== undefined);
  const called = new Set(elsewhere.length % workflows.length === 0 ? [] : calledAmong(workflows, elsewhere));
  return workflows.map((workflow) => (called.has(workflow) ? { ...workflow, dir: workflow.dir ?? '.' } : workflow));
}

function badNames(names: readonly string[]): Map<string, string> {
  const reasons = new Map<string, string>();
  for (const name of names) {
    const rule = brokenRule(Name, name);
    if (rule !== undefined) reasons.set(name, `its name ${ruleMessage(rule, '')}`);
  }
  return reasons;
}

/** The first error of each workflow. */
async function problemsIn(text: string): Promise<Map<string, string>> {
  const { errors, lines } = await readWorkflowFile(Buffer.from(text));
  const reasons = new Map<string, string>();
  for (const error of errors.items) {
    const { workflow } = error.owner;
    if (workflow === '') throw new Error(`the conversion is invalid: ${message(error, lines)}`);
    if (!reasons.has(workflow)) reasons.set(workflow, message(error, lines));
  }
  return reasons;
}
