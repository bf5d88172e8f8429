import type { Matrix, SourceText, Step, StepCheck, Variables, Workflow, WorkflowFile } from '../frontend/ast.ts';
import { scopesInside } from './compile/file_scopes.ts';
import { countCombinations, labelOf } from './compile/matrix.ts';
import { withMembers } from '../base/with_members.ts';

/** Maximum number of operations of a plan. */
export const OPERATION_LIMIT = 100_000;

/**
 * Maximum length of the names and values of a plan in UTF-16 units. Matrices and calls multiply both, up to any size.
 */
export const TEXT_LIMIT = 64 * 1024 * 1024;

/** The limit of counting. Multiplying calls soon exceed any number worth showing. */
const COUNT_LIMIT = 10n ** 24n;

/** A workflow of a valid file. Throws if the name is unknown, which is a bug. */
export function workflowOf(file: WorkflowFile, name: string): Workflow {
  const workflow = file.workflows.get(name);
  if (workflow === undefined) throw new Error(`no workflow ${name} in a checked file`);
  return workflow;
}

/** The step at which the names and values of a plan become too many: one with a matrix, or the last call. */
export type TextExcess = Readonly<{ workflow: string; offset: number }>;

/**
 * The size of a plan: its operations, which are commands, hooks, conditions, calls, and references to outputs; and
 * whether the names of its steps, calls and variables, and the values, are longer than `TEXT_LIMIT`.
 */
export type PlanSize = Readonly<{ operations: bigint; excess: TextExcess | undefined }>;

/** The size of a workflow with its calls. `text` may be infinite. */
type WorkflowSize = PlanSize & Readonly<{ text: number }>;

const NOTHING: WorkflowSize = { operations: 0n, text: 0, excess: undefined };

/**
 * Computes the size of the plan of each workflow. Runs in time linear in the file, because each workflow is measured
 * once, regardless of its calls.
 */
export function measurePlans(file: WorkflowFile): (workflow: string) => PlanSize {
  const ofFile = countHooks(file.beforeAll, file.afterAll, file.error, file.finally);
  const sizes = new Map<string, WorkflowSize>();
  return (workflow) => {
    const stack = [workflow];
    for (let name = stack.at(-1); name !== undefined; name = stack.at(-1)) {
      // Several callers can put a workflow on the stack. Only the first one finds it unmeasured.
      const steps = sizes.has(name) ? [] : withMembers(workflowOf(file, name).steps);
      const unmeasured = new Set<string>();
      for (const step of steps) if (step.kind === 'call' && !sizes.has(step.workflow)) unmeasured.add(step.workflow);
      for (const target of unmeasured) stack.push(target);
      if (unmeasured.size > 0) continue;
      if (!sizes.has(name)) sizes.set(name, sizeOf(file, name, steps, sizes));
      stack.pop();
    }
    const { operations, excess } = sizes.get(workflow) ?? NOTHING;
    return { operations: BigInt(ofFile) + operations, excess };
  };
}

/** The size of a workflow whose callees have been measured. */
function sizeOf(
  file: WorkflowFile,
  workflow: string,
  steps: readonly Step[],
  sizes: ReadonlyMap<string, WorkflowSize>,
): WorkflowSize {
  let total = 0n;
  const { error, finally: last } = workflowOf(file, workflow);
  // Most steps add a small number, for which arithmetic with a bigint takes long.
  let plain = countHooks(error, last);
  let text = 0;
  let excess: TextExcess | undefined;
  for (const step of steps) {
    const check = step.kind === 'run' ? step.check : null;
    const own = 1 + (step.condition === undefined ? 0 : 1) + checkCount(file, step) + referenceCount(step);
    const ownText = step.name.length + lengthOf(step.with) + (check === null ? 0 : patternsText(check));
    if (step.kind !== 'call' && step.matrix === null) {
      plain += own;
      text += ownText;
      continue;
    }
    const inner = step.kind === 'call' ? (sizes.get(step.workflow) ?? NOTHING) : NOTHING;
    const around = step.kind === 'call' ? calleeText(file, workflow, step.workflow) : 0;
    const count = countCombinations(step.matrix);
    total += count * (BigInt(own) + inner.operations);
    text += Number(count) * (ownText + around + inner.text) + (step.matrix === null ? 0 : matrixText(step.matrix));
    if (text > TEXT_LIMIT) excess ??= inner.excess ?? { workflow, offset: step.offset };
  }
  total += BigInt(plain);
  return { operations: total < COUNT_LIMIT ? total : COUNT_LIMIT, text, excess };
}

/** The length of the names and values that a call adds around the steps of a workflow. */
function calleeText(file: WorkflowFile, caller: string, callee: string): number {
  const { env, scope } = workflowOf(file, callee);
  const entered = scopesInside(scope, workflowOf(file, caller).scope);
  return entered.reduce((sum, each) => sum + each.name.length + lengthOf(each.env), callee.length + lengthOf(env));
}

function lengthOf(variables: Variables): number {
  let length = 0;
  for (const [name, { text }] of variables) length += name.length + text.length;
  return length;
}

/** The length of all combinations of a matrix: their labels, and their variables. */
function matrixText(matrix: Matrix): number {
  const count = Number(countCombinations(matrix));
  let length = 0;
  for (const [name, values] of matrix) {
    const sum = values.reduce((all, { text }, index) => {
      return all + name.length + text.length + labelOf(name, text, index).length;
    }, 0);
    length += (count / values.length) * sum;
  }
  return length;
}

function countHooks(...hooks: readonly (SourceText | undefined)[]): number {
  return hooks.reduce((sum, hook) => sum + (hook === undefined ? 0 : 1 + hook.references.length), 0);
}

/** The number of checks before a step. */
function checkCount(file: WorkflowFile, step: Step): number {
  if (step.kind === 'run') return step.check === null ? 0 : 1;
  return step.kind === 'call' && file.workflows.get(step.workflow)?.once === true ? 1 : 0;
}

function patternsText({ sources, generates }: StepCheck): number {
  return [...sources, ...generates].reduce((length, { text }) => length + text.length, 0);
}

function referenceCount(step: Step): number {
  let count = (step.condition?.references.length ?? 0) + (step.dir?.variables?.length ?? 0);
  if (step.kind === 'run') {
    const { references = [], variables = [] } = step.question ?? {};
    count += step.command.references.length + references.length + variables.length;
    if (step.check !== null) count += patternReferences(step.check);
  }
  for (const { references, variables = [] } of step.with.values()) count += references.length + variables.length;
  return count;
}

function patternReferences({ sources, generates }: StepCheck): number {
  return [...sources, ...generates].reduce((count, { variables = [] }) => count + variables.length, 0);
}

/** The number as text; `more than …` if counting stopped. */
export function operationsText(operations: bigint): string {
  return operations < COUNT_LIMIT ? String(operations) : `more than ${COUNT_LIMIT}`;
}
