import { FILE_DOCS, STEP_DOCS, WORKFLOW_DOCS } from '../schema/field_docs.ts';
import { inlineJson, type FieldDoc } from '../schema/field_help.ts';
import { HOOK_DOCS, INCLUDE_DOCS, INPUT_DOCS, READY_DOCS, RETRY_DOCS, SECRET_DOCS } from '../schema/object_docs.ts';
import type { Rule } from '../schema/rules.ts';
import type { Diagnostic, Owner } from './diagnostic.ts';

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

/** The rules whose messages say less than an example. The messages of the others contain one. */
const UNCLEAR: ReadonlySet<Rule> = new Set([
  'an object',
  'an array',
  'a command',
  'a hook',
  'paths',
  'an include',
  'a step',
  'a duration',
  'a number of attempts',
  'a number of members',
  'not empty',
  'not blank',
]);

/** The fields of objects that are the value of a field. */
const HOOKS = { before_all: HOOK_DOCS, after_all: HOOK_DOCS, error: HOOK_DOCS, finally: HOOK_DOCS };
const VALUES: Readonly<Record<string, Docs>> = { ...HOOKS, retry: RETRY_DOCS, ready: READY_DOCS };

/** The fields of objects that are values by name in a field. */
const ENTRIES: Readonly<Record<string, Docs>> = { include: INCLUDE_DOCS, secrets: SECRET_DOCS, inputs: INPUT_DOCS };

/** The fields whose values are names of what is in the file: no example is right in each. */
const NAMES: ReadonlySet<string> = new Set(['workflow', 'default']);

/**
 * The end of a message: an example of what would be right. Empty if the message suffices. `value` is the JSON text of
 * the value, unless it may be secret.
 */
export function exampleHint(diagnostic: Diagnostic, value: string | undefined): string {
  const example = exampleOf(diagnostic, value);
  return example === undefined ? '' : `; for example ${example}`;
}

function exampleOf(diagnostic: Diagnostic, value: string | undefined): string | undefined {
  const { owner } = diagnostic;
  if (diagnostic.code === 'missing field') return exampleAt(diagnostic.field, owner);
  if (diagnostic.code === 'empty step') return exampleAt('run', owner);
  if (diagnostic.code !== 'broken rule' || !UNCLEAR.has(diagnostic.rule)) return undefined;
  const { subject, rule } = diagnostic;
  if (rule === 'a step')
    return inlineJson(
      diagnostic.found === 'array' ? { run: ['cd app', 'npm test'] } : { name: 'test', run: 'npm test' },
    );
  if (subject === 'the file') return inlineJson({ workflows: { ci: { steps: ['npm test'] } } });
  if (subject === 'the workflow') return entry(owner.workflow, { steps: ['npm test'] });
  const [, path] = /^'([\w.]+)'$/.exec(subject) ?? [];
  if (path === undefined || NAMES.has(path)) return undefined;
  if (rule === 'an array' && diagnostic.found === 'string' && value !== undefined && !path.endsWith('.command'))
    return `${JSON.stringify(path.split('.').at(-1))}: [${value}]`;
  const example = exampleAt(path, owner);
  // An empty text in a list has the name of the list.
  return rule === 'not empty' && diagnostic.found === 'string' && example?.endsWith(']') ? undefined : example;
}

/** An example of a field, of a value by name in it (`matrix.NODE`), or of a field of either (`inputs.TRACK.type`). */
function exampleAt(path: string, { workflow, step }: Owner): string | undefined {
  const [field = '', name, inner] = path.split('.');
  const docs: Docs = step !== undefined ? STEP_DOCS : workflow === '' ? FILE_DOCS : WORKFLOW_DOCS;
  if (name === undefined) return entry(field, docs[field]?.examples[0]);
  if (inner !== undefined) return entry(inner, ENTRIES[field]?.[inner]?.examples[0]);
  const fields = VALUES[field];
  if (fields !== undefined) return entry(name, fields[name]?.examples[0]);
  const example: unknown = docs[field]?.examples[0];
  return entry(name, typeof example === 'object' && example !== null ? Object.values(example)[0] : undefined);
}

function entry(name: string, value: unknown): string | undefined {
  return value === undefined ? undefined : `${JSON.stringify(name)}: ${inlineJson(value)}`;
}
