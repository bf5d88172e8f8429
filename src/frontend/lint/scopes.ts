import type { FileScope, Matrix, SourceText, Step, Variables, WorkflowFile } from '../ast.ts';
import { flatSteps } from '../flat_steps.ts';
import type { Owner } from '../diagnostics/diagnostic.ts';

/** The owner of scopes outside of workflows. */
export const FILE: Owner = { workflow: '' };

/** The variables of one `env` or `with` field, or values of a matrix. */
type VariableScope = readonly [field: 'env' | 'with' | 'matrix', Variables, Owner];

type OwnedStep = readonly [Step, Owner];

const known = new WeakMap<WorkflowFile, readonly OwnedStep[]>();

/** All steps of a file. Computed once, because a lint iterates over them many times. */
export function stepsOf(file: WorkflowFile): readonly OwnedStep[] {
  const steps = known.get(file) ?? allSteps(file);
  known.set(file, steps);
  return steps;
}

function allSteps({ workflows }: WorkflowFile): readonly OwnedStep[] {
  const all: OwnedStep[] = [];
  for (const [workflow, { steps }] of workflows) {
    for (const [step, number] of flatSteps(steps)) all.push([step, { workflow, step: number }]);
  }
  return all;
}

/** The scopes of included files. */
export function fileScopes({ workflows }: WorkflowFile): ReadonlySet<FileScope> {
  const scopes = new Set<FileScope>();
  for (const workflow of workflows.values()) {
    for (let { scope } = workflow; scope !== null && !scopes.has(scope); scope = scope.outer) scopes.add(scope);
  }
  return scopes;
}

/** All scopes of a file that set variables. */
export function* variableScopes(file: WorkflowFile): Generator<VariableScope> {
  yield ['env', file.env, FILE];
  for (const { env } of fileScopes(file)) yield ['env', env, FILE];
  for (const [workflow, { env }] of file.workflows) yield ['env', env, { workflow }];
  for (const [step, owner] of stepsOf(file)) {
    if (step.matrix !== null) for (const row of rowsOf(step.matrix)) yield ['matrix', row, owner];
    if (step.with.size > 0) yield ['with', step.with, owner];
  }
}

/** The rows of a matrix: the first value of each variable, then the second, and so on. */
function* rowsOf(matrix: Matrix): Generator<Variables> {
  const lists = [...matrix];
  const length = Math.max(0, ...lists.map(([, values]) => values.length));
  for (let index = 0; index < length; index += 1) {
    yield new Map(lists.flatMap(([name, { [index]: value }]) => (value === undefined ? [] : [[name, value] as const])));
  }
}

/** The variables that values and directories refer to. */
export function* referredVariables(file: WorkflowFile): Generator<string> {
  for (const [, variables] of variableScopes(file)) for (const text of variables.values()) yield* namesIn(text);
  for (const { dir } of file.workflows.values()) yield* namesIn(dir);
  for (const [{ dir }] of stepsOf(file)) if (dir !== undefined) yield* namesIn(dir);
}

function* namesIn(text: SourceText | undefined): Generator<string> {
  for (const { name } of text?.variables ?? []) yield name;
}
