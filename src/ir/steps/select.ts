import { at, type Plan, type StepPosition } from '../plan.ts';
import { NAMES } from './identity.ts';
import { stepPaths } from './step_paths.ts';

/** The ops of a step, from its condition on, without the one at `end`: those of a call are all of its steps'. */
export type OpRange = Readonly<{ start: number; end: number }>;

/**
 * A step that has a name. `command` is the index of its command, null for a call or a group; `condition` that of its own
 * condition, null without one.
 */
export type FoundStep = Readonly<{ path: string; range: OpRange; command: number | null; condition: number | null }>;

/** The step that a text on the command line means; or the paths of all steps, or of those that it may mean. */
export type Resolution = Readonly<
  ({ kind: 'one' } & FoundStep) | { kind: 'none' | 'several'; paths: readonly string[] }
>;

/** `number` is the position of a step of the workflow asked for. */
type NamedStep = FoundStep & Readonly<{ name: string; number: string | undefined }>;

/**
 * Finds the step that a text means: a name, or a path of names such as `build/compile`, or the number of a step of the
 * workflow asked for. A name wins over a path, a path over a number. The second of two steps of one name in one call
 * has `2.` before its name in paths.
 */
export function resolveStep(plan: Plan, text: string): Resolution {
  const steps = namedSteps(plan);
  const meanings = (['name', 'path', 'number'] as const).map((key) => steps.filter((step) => step[key] === text));
  const found = meanings.find(({ length }) => length > 0) ?? [];
  const [first] = found;
  if (first === undefined) return { kind: 'none', paths: steps.map(({ path }) => path) };
  if (found.length > 1) return { kind: 'several', paths: found.map(({ path }) => path) };
  const { path, range, command, condition } = first;
  return { kind: 'one', path, range, command, condition };
}

/** The path of names of each command and condition of a plan, by op; a condition has that of its step. */
export function namePaths(plan: Plan): ReadonlyMap<number, string> {
  const paths = new Map<number, string>();
  for (const { kind, index, path } of stepPaths(plan, NAMES)) {
    if (kind === 'run' || kind === 'condition') paths.set(index, path.join('/'));
  }
  return paths;
}

function namedSteps(plan: Plan): readonly NamedStep[] {
  const steps: NamedStep[] = [];
  /** A condition comes right before its step, whose path it has. */
  let tested: { path: string; index: number } | undefined;
  for (const { kind, index, path: labels, start } of stepPaths(plan, NAMES)) {
    const path = labels.join('/');
    const entry = { path, condition: tested?.path === path ? tested.index : null };
    if (kind === 'condition') tested = { path, index };
    else if (kind === 'call') {
      const call = at(plan.calls, index);
      const range = { start, end: call.end };
      steps.push({ ...entry, name: NAMES.call(call), number: numberOf(call.from), range, command: null });
    } else {
      const op = at(plan.ops, index);
      if (op.kind !== 'run' && op.kind !== 'parallel') continue;
      const [end, command] = op.kind === 'run' ? [index + 1, index] : [op.end.op, null];
      steps.push({ ...entry, name: op.name, number: numberOf(op), range: { start, end }, command });
    }
  }
  return steps;
}

function numberOf(position: StepPosition | null): string | undefined {
  return position?.call === 0 ? String(position.step) : undefined;
}
