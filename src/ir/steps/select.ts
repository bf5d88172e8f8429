import { at, type Plan, type StepPosition } from '../plan.ts';
import { combinationSuffix, plainNumber } from '../step_number.ts';
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
type NamedStep = FoundStep &
  Readonly<{ name: string; number: string | undefined; plainName: string; plainPath: string }> &
  Readonly<{ plainNumber: string | undefined; written: string }>;

/** What a text may be, the strongest meaning first. A step with a matrix also goes by what all of its copies share. */
const KEYS = ['name', 'path', 'number', 'plainName', 'plainPath', 'plainNumber'] as const;

/**
 * Finds the step that a text means: a name, or a path of names such as `build/compile`, or the number of a step of the
 * workflow asked for. A name wins over a path, a path over a number. The second of two steps of one name in one call
 * has `2.` before its name in paths. Without its combination, the name of a step with a matrix means all of its copies.
 */
export function resolveStep(plan: Plan, text: string): Resolution {
  const steps = namedSteps(plan);
  const meanings = KEYS.map((key) => steps.filter((step) => step[key] === text));
  const found = meanings.find(({ length }) => length > 0) ?? [];
  const [first] = found;
  if (first === undefined) return { kind: 'none', paths: steps.map(({ path }) => path) };
  const { path, plainPath, range, command, condition } = first;
  const last = found.at(-1) ?? first;
  if (found.length === 1) return { kind: 'one', path, range, command, condition };
  // Copies follow each other, also where they are members of a group.
  const isOneStep = found.every(({ written }) => written === first.written);
  if (!isOneStep) return { kind: 'several', paths: found.map((each) => each.path) };
  return {
    kind: 'one',
    path: plainPath,
    range: { start: range.start, end: last.range.end },
    command: null,
    condition: null,
  };
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
      steps.push({ ...entry, ...identityOf(NAMES.call(call), path, call.from), range, command: null });
    } else {
      const op = at(plan.ops, index);
      if (op.kind !== 'run' && op.kind !== 'parallel') continue;
      const [end, command] = op.kind === 'run' ? [index + 1, index] : [op.end.op, null];
      steps.push({ ...entry, ...identityOf(op.name, path, op), range: { start, end }, command });
    }
  }
  return steps;
}

/** The ways to mean a step. */
function identityOf(name: string, path: string, position: StepPosition | null): Omit<NamedStep, keyof FoundStep> {
  const suffix = position === null ? '' : combinationSuffix(position.step);
  const plain = (text: string): string => text.slice(0, text.length - suffix.length);
  const isRequested = position?.call === 0;
  return {
    name,
    number: isRequested ? String(position.step) : undefined,
    plainName: plain(name),
    plainPath: plain(path),
    plainNumber: isRequested ? plainNumber(position.step) : undefined,
    written: position === null ? '' : `${position.call} ${plainNumber(position.step)}`,
  };
}
