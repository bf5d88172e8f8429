import { isUnnamed } from '../../base/generated_name.ts';
import type { StepOptions } from '../../frontend/schema/option_fields.ts';
import { truncateLines } from '../../base/truncate.ts';
import { conditionParts, describeLock, isCheck, isInBackground, stoppedSteps } from '../ops.ts';
import { inputsOf } from '../inputs.ts';
import { secretNames, secretsOf } from '../secret_names.ts';
import { describeBackground, describeGroup, describeOptions } from './step_options.ts';
import { inputLines } from './describe_input.ts';
import { NAMES, ownName } from '../steps/step_paths.ts';
import { at, hookName } from '../plan.ts';
import type { Call, HookOp, ParallelOp, StepPosition, Plan, RunOp } from '../plan.ts';
import { indent, outlineEntries } from '../steps/outline_entries.ts';

const NO_STATES: ReadonlyMap<number, string> = new Map();

/**
 * A plan as an indented list for people: calls as headings, with their steps and conditions below, and the hooks. `states`
 * are those of steps with a check, by op index. `linked` has the values of references to variables.
 */
export function* outline(
  plan: Plan,
  isLeftOut: (op: number) => boolean = () => false,
  states: ReadonlyMap<number, string> = NO_STATES,
  linked: Plan = plan,
): Generator<string> {
  // Most steps share their options.
  let last: { options?: StepOptions; words: readonly string[] } = { words: [] };
  yield `workflow ${plan.workflow}${lockOf(at(plan.calls, 0))}`;
  const inputs = inputsOf(plan, at(plan.calls, 0)) ?? [];
  for (const line of inputLines(inputs, secretNames(plan))) yield `${indent(1)}input ${truncateLines(line)}`;
  for (const line of chosenFiles(plan, linked)) yield `${indent(1)}file ${truncateLines(line)}`;
  for (const entry of outlineEntries(plan)) {
    const { index, depth } = entry;
    if (entry.kind === 'call') {
      const call = at(plan.calls, index);
      const tested = call.from === null ? '' : condition(plan, call.start, call.from);
      yield `${indent(depth)}> ${callLabel(call)}${lockOf(call)}${tested}`;
      continue;
    }
    const { op } = entry;
    if (op.kind === 'parallel') {
      yield `${indent(depth)}> ${groupLabel(op)}${condition(plan, index, op)}`;
      continue;
    }
    if (op.kind === 'hook') {
      const options = isLeftOut(index) && op.call !== undefined ? ['left out'] : [];
      yield `${indent(depth)}[${hookName(plan, op)}]${details(plan, op, options)}  ${truncateLines(op.command)}`;
      continue;
    }
    if (op.kind === 'stop') {
      yield `${indent(depth)}- stop ${stoppedSteps(plan, op)
        .map(({ name }) => name)
        .join(', ')}`;
      continue;
    }
    const start = `${indent(depth)}- ${op.name}${condition(plan, index, op)}`;
    if (isInBackground(op)) last = { words: describeBackground(linked, op) };
    else if (last.options !== op.options) last = { options: op.options, words: describeOptions(op.options) };
    const state = isLeftOut(index) ? 'left out' : states.get(index);
    const words = state === undefined ? last.words : [state, ...last.words];
    yield `${start}${details(plan, op, words)}  ${truncateLines(op.command)}`;
  }
}

/** The dotenv files that a value chooses, each once. */
function chosenFiles({ frames }: Plan, linked: Plan): Iterable<string> {
  const lines = frames.flatMap(({ dotenv = [] }, frame) =>
    dotenv.flatMap(({ path, lookups }, index) => {
      const read = linked.frames[frame]?.dotenv?.[index]?.path;
      return lookups === undefined ? [] : read === undefined || read === path ? path : `${read}  (${path})`;
    }),
  );
  return new Set(lines);
}

/** A called workflow, after the name of the step that calls it, if it has one. */
function callLabel(call: Call): string {
  const name = ownName(call);
  return name === undefined ? NAMES.call(call) : `${name}: ${call.workflow}`;
}

function lockOf({ lock }: Call): string {
  return lock === undefined ? '' : `  (${describeLock(lock)})`;
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
