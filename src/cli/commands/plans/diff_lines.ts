import type { StepChange, VariableChange } from '../../../ir/compare/compare_plans.ts';
import type { WorkflowChange } from '../../../ir/compare/compare_workflows.ts';
import type { Rules } from '../../output/paint.ts';

/** The colours of a comparison. */
export const DIFF_RULES: Rules = [
  [/^ +- .*$/, 'red'],
  [/^ +\+ .*$/, 'green'],
  [/^workflow .*$/, 'bold'],
];

/** The changes from one file to another, as text for people. */
export function* diffLines(from: string, to: string, changes: readonly WorkflowChange[]): Generator<string> {
  if (changes.length === 0) yield `${from} and ${to} do the same`;
  for (const change of changes) yield* workflowLines(change);
}

function* workflowLines(change: WorkflowChange): Generator<string> {
  yield headingOf(change);
  for (const line of stepLines(change)) yield `  ${line}`;
}

/** The name of a workflow, and its change as a whole. */
export function headingOf({ workflow, change, text }: WorkflowChange): string {
  const note = change === 'changed' ? (text ? '' : '  (its own text is the same)') : `  (${change})`;
  return `workflow ${workflow}${note}`;
}

/** The changes of the steps of a workflow, then those of variables, which many steps may share. */
export function* stepLines({ steps }: WorkflowChange): Generator<string> {
  for (const step of steps) yield* linesOf(step);
  for (const [, { change, paths }] of sharedVariables(steps)) {
    const { variable, before, after } = change;
    yield `~ variable ${variable} of ${listOf(paths)}`;
    if (before !== null) yield `    - ${before.value}  (${before.source})`;
    if (after !== null) yield `    + ${after.value}  (${after.source})`;
  }
}

const NOUNS: Readonly<Record<StepChange['kind'], string>> = { step: '', call: 'call ', group: 'group ', hook: 'hook ' };

function* linesOf({ change, kind, path, command, moved, fields }: StepChange): Generator<string> {
  const name = path === '' ? 'the workflow' : `${NOUNS[kind]}${path}`;
  const text = command === null ? '' : `  ${command}`;
  if (change === 'added' || change === 'removed') yield `${change === 'added' ? '+' : '-'} ${name}${text}`;
  else if (change === 'moved') yield `~ ${name}  moved`;
  else if (fields.length > 0 || moved) yield `~ ${name}${moved ? '  moved' : ''}`;
  for (const { field, before, after } of fields) {
    if (before !== null) yield `    - ${field}: ${before}`;
    if (after !== null) yield `    + ${field}: ${after}`;
  }
}

type SharedChange = Readonly<{ change: VariableChange; paths: string[] }>;

/** The changes of variables, each with all its steps. */
function sharedVariables(steps: readonly StepChange[]): ReadonlyMap<string, SharedChange> {
  const shared = new Map<string, SharedChange>();
  for (const { path, variables } of steps) {
    for (const change of variables) {
      const key = JSON.stringify(change);
      const known = shared.get(key) ?? { change, paths: [] };
      shared.set(key, known);
      known.paths.push(path);
    }
  }
  return shared;
}

/** The maximum number of steps named in a line. */
const MAX_PATHS = 5;

function listOf(paths: readonly string[]): string {
  const more = paths.length - MAX_PATHS;
  return more <= 1 ? paths.join(', ') : `${paths.slice(0, MAX_PATHS).join(', ')} and ${more} more`;
}
