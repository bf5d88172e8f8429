import { isUnnamed } from '../../generated_name.ts';
import type { Output, StepOptions } from '../../frontend/ast.ts';
import { truncateLines } from '../../truncate.ts';
import { conditionParts } from '../condition_parts.ts';
import { inputsOf } from '../inputs.ts';
import { secretNames, secretsOf } from '../secrets.ts';
import { describeGroup, describeOptions } from './describe_options.ts';
import { inputLines } from './describe_input.ts';
import { combinationSuffix } from '../step_number.ts';
import { isCheck } from '../ops.ts';
import { at, hookName, type HookOp, type ParallelOp, type StepPosition, type Plan, type RunOp } from '../plan.ts';

/** Deeper calls are not indented further, or a chain of them would fill the screen with blanks. */
const MAX_INDENT = 12;
const indent = (depth: number): string => '  '.repeat(Math.min(depth, MAX_INDENT));

const NO_STATES: ReadonlyMap<number, string> = new Map();

/**
 * A plan as an indented list for people: calls as headings, with their steps and conditions below, and the hooks. `states`
 * are those of steps with a check, by op index.
 */
export function* outline(
  plan: Plan,
  isLeftOut: (op: number) => boolean = () => false,
  states: ReadonlyMap<number, string> = NO_STATES,
): Generator<string> {
  const depths = [0];
  const groups: ParallelOp[] = [];
  /** The depth of the steps of a call at the current op: groups of steps are indented too. */
  const depthOf = (call: number): number => at(depths, call) + groups.filter((group) => group.call === call).length;
  /** The headings of the calls before the call `end` that begin at or before an op and have none yet. */
  function* headings(index: number, end = plan.calls.length): Generator<string> {
    for (let call = plan.calls[depths.length]; call !== undefined && call.start <= index && depths.length < end;) {
      if (call.from === null) throw new Error('only the first call has no caller');
      const depth = depths[depths.push(depthOf(call.from.call) + 1) - 1] ?? 0;
      const { name, step } = call.from;
      const label = isUnnamed(call.from) ? `${call.workflow}${combinationSuffix(step)}` : `${name}: ${call.workflow}`;
      yield `${indent(depth)}> ${label}${condition(plan, call.start, call.from)}`;
      call = plan.calls[depths.length];
    }
  }
  /** Leaves the groups that end before an op. A call without steps may be the last member of one. */
  function* moveTo(index: number): Generator<string> {
    for (let group = groups.at(-1); group !== undefined && group.end.op <= index; group = groups.at(-1)) {
      yield* headings(index, group.end.call);
      groups.pop();
    }
    yield* headings(index);
  }

  // Most steps share their options.
  let last: { options?: StepOptions; words: readonly string[] } = { words: [] };
  yield `workflow ${plan.workflow}`;
  const inputs = inputsOf(plan, at(plan.calls, 0)) ?? [];
  for (const line of inputLines(inputs, secretNames(plan))) yield `${indent(1)}input ${truncateLines(line)}`;
  for (const [index, op] of plan.ops.entries()) {
    if (groups.length > 0 || depths.length < plan.calls.length) yield* moveTo(index);
    if (op.kind === 'parallel') {
      yield `${indent(depthOf(op.call) + 1)}> ${groupLabel(op)}${condition(plan, index, op)}`;
      groups.push(op);
    }
    if (op.kind === 'hook') {
      const depth = op.call === undefined ? 0 : at(depths, op.call);
      const options = isLeftOut(index) && op.call !== undefined ? ['left out'] : [];
      yield `${indent(depth + 1)}[${hookName(plan, op)}]${details(plan, op, options)}  ${truncateLines(op.command)}`;
    }
    if (op.kind !== 'run') continue;
    const start = `${indent(depthOf(op.call) + 1)}- ${op.name}${condition(plan, index, op)}`;
    if (last.options !== op.options) {
      last = { options: op.options, words: describeOptions(op.options, describeOutputs) };
    }
    const state = isLeftOut(index) ? 'left out' : states.get(index);
    const words = state === undefined ? last.words : [state, ...last.words];
    yield `${start}${details(plan, op, words)}  ${truncateLines(op.command)}`;
  }
  yield* moveTo(plan.ops.length);
}

/** The name of a group, if it has one, and its options. */
function groupLabel(op: ParallelOp): string {
  const details = ['in parallel', ...describeGroup(op.group)].join('; ');
  return isUnnamed(op) ? details : `${op.name}  (${details})`;
}

/** The `if` of the step at a position. It is the op before its check and the first op that it guards. */
function condition(plan: Plan, index: number, position: StepPosition): string {
  let before = index - 1;
  while (isCheck(plan.ops[before])) before -= 1;
  const op = plan.ops[before];
  const isOwn = op?.kind === 'condition' && op.call === position.call && op.step === position.step;
  return isOwn ? `  (if ${truncateLines(conditionParts(op.test).met)})` : '';
}

/** The directory of a step or hook, its secrets, and the words for its options. */
function details(plan: Plan, op: RunOp | HookOp, options: readonly string[]): string {
  const { dir = null } = op;
  const secrets = secretsOf(plan, op);
  const listed = secrets.length === 0 ? [] : [`${secrets.length === 1 ? 'secret' : 'secrets'} ${secrets.join(', ')}`];
  const all = [...(dir === null ? [] : [`in ${dir}`]), ...listed, ...options];
  return all.length === 0 ? '' : `  (${all.join('; ')})`;
}

function describeOutputs(outputs: readonly Output[]): string[] {
  return [`gives ${outputs.map(([name]) => name).join(', ')}`];
}
