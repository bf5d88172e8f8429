import { at, type Plan, type StepPosition } from '../plan.ts';
import { combinationSuffix, plainNumber } from './step_number.ts';
import { NAMES, stepPaths } from './step_paths.ts';

/**
 * The ops of a step from `start`, which may be its condition, up to but not including `end`. The range of a call
 * contains all its steps.
 */
export type OpRange = Readonly<{ start: number; end: number }>;

/**
 * A named step. `command` is the index of its command, null for a call or a group. `condition` is the index of its own
 * condition, null without one.
 */
export type FoundStep = Readonly<{ path: string; range: OpRange; command: number | null; condition: number | null }>;

/** The result of `resolveStep`. `paths`: the candidates if there are several, all steps if there is none. */
export type Resolution = Readonly<
  ({ kind: 'one' } & FoundStep) | { kind: 'none' | 'several'; paths: readonly string[] }
>;

/** `number` is the position of the step in the requested workflow. */
type NamedStep = FoundStep &
  Readonly<{ name: string; number: string | undefined; plainName: string; plainPath: string }> &
  Readonly<{ plainNumber: string | undefined; written: string }>;

/**
 * The possible meanings of a text, by precedence. The plain forms of a step with a matrix are common to all its copies.
 */
const KEYS = ['name', 'path', 'number', 'plainName', 'plainPath', 'plainNumber'] as const;

/**
 * Finds a step by its name, by a path of names such as `build/compile`, or by its number in the requested workflow. A
 * name takes precedence over a path unless several steps have it, and a path over a number. In paths, the second of two steps with the same name in
 * one call has the prefix `2.`. A step with a matrix, given without a combination, stands for all its copies.
 */
export function resolveStep(plan: Plan, text: string): Resolution {
  const steps = namedSteps(plan);
  const meanings = KEYS.map((key) => steps.filter((step) => step[key] === text));
  const [named, paths] = meanings;
  const isPath = (named?.length ?? 0) > 1 && paths?.length === 1;
  const found = (isPath ? paths : meanings.find(({ length }) => length > 0)) ?? [];
  const [first] = found;
  if (first === undefined) return { kind: 'none', paths: steps.map(({ path }) => path) };
  const { path, plainPath, range, command, condition } = first;
  const last = found.at(-1) ?? first;
  if (found.length === 1) return { kind: 'one', path, range, command, condition };
  // Copies are consecutive, including copies that are members of a group.
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

/** The path of names of each command and condition of a plan, by op index. A condition has the path of its step. */
export function namePaths(plan: Plan): ReadonlyMap<number, string> {
  const paths = new Map<number, string>();
  for (const entry of stepPaths(plan, NAMES)) {
    if (entry.kind === 'run' || entry.kind === 'condition') paths.set(entry.index, entry.path.join('/'));
  }
  return paths;
}

function namedSteps(plan: Plan): readonly NamedStep[] {
  const steps: NamedStep[] = [];
  /** The preceding condition, which has the path of its step. */
  let tested: { path: string; index: number } | undefined;
  for (const { kind, index, path: labels, start } of stepPaths(plan, NAMES)) {
    const path = labels.join('/');
    const entry = { path, condition: tested?.path === path ? tested.index : null };
    if (kind === 'condition') {
      if (tested?.path !== path) tested = { path, index };
    } else if (kind === 'call') {
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

/** The names, paths and number of a step, by which it can be found. */
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
