import { isUnnamed } from '../../base/generated_name.ts';
import { combinationSuffix, groupNumber } from './step_number.ts';
import { afterConditions } from '../ops.ts';
import { at } from '../plan.ts';
import type { Call, HookOp, Op, ParallelOp, Plan, RunOp, StepPosition } from '../plan.ts';

/** The path of a step from the requested workflow: the labels of its calls and groups, and its own label. */
export type StepPath = readonly string[];

/**
 * A call or an op with its path. A condition has the path of its step. `start` is the first op of the step: its
 * condition, if it has one. `isAtOrBelow` tells whether a path, joined by slashes, is that of the step or of a call or group
 * around it.
 */
export type PathEntry = Readonly<{ kind: 'call' | Op['kind'] }> &
  Readonly<{ index: number; path: StepPath; start: number; isAtOrBelow: (path: string) => boolean }>;

/** Functions that label the steps and hooks of a plan. */
export type Labels = Readonly<{ command: (op: RunOp) => string; call: (call: Call) => string }> &
  Readonly<{ group: (op: ParallelOp) => string; hook: (op: HookOp) => string }>;

/**
 * Labels for the user: the names that commands such as `--only` take, and that all output shows. An unnamed call is
 * labelled with its workflow.
 */
export const NAMES: Labels = {
  command: ({ name }) => name,
  call: (call) => ownName(call) ?? `${call.workflow}${suffixOf(call)}`,
  group: ({ name }) => name,
  hook: ({ hook }) => hook,
};

/** The combination of a call in a matrix. */
export function suffixOf({ from }: Call): string {
  return from === null ? '' : combinationSuffix(from.step);
}

/** The name that the file gives to a calling step; undefined if it has none. */
export function ownName({ from }: Call): string | undefined {
  return from === null || isUnnamed(from) ? undefined : from.name;
}

/**
 * A label, and the labels of the enclosing calls and groups. Thousands of calls may be nested, so paths share labels. `head`
 * is the start of the path as a text.
 */
type SharedPath = Readonly<{ label: string; outer: SharedPath | null; head: string }>;

/** The greatest length of the start of a path. Users rarely type longer ones. */
const HEAD = 100;

function below(outer: SharedPath | null, label: string): SharedPath {
  if (outer === null) return { label, outer, head: label };
  return { label, outer, head: outer.head.length >= HEAD ? outer.head : `${outer.head}/${label}` };
}

type StepPlace = Readonly<{ place: SharedPath; start: number }>;

/**
 * An open call, or an open group in it (`group` is the number of its step, '' for the call itself). `counts` is the
 * number of steps so far with each label.
 */
type OpenScope = Readonly<{ call: number; group: string; place: SharedPath | null; counts: Map<string, number> }>;

/**
 * Walks a plan: yields every call (`index` in `calls`) and every op (`index` in `ops`) in order, with its path. The
 * k-th step with the same label in a call, k > 1, has the prefix `k.`. Only the labels of open calls are kept in
 * memory.
 */
export function* stepPaths(plan: Plan, labels: Labels): Generator<PathEntry> {
  const scopes: OpenScope[] = [{ call: 0, group: '', place: null, counts: new Map() }];
  /** The step of the last condition, so that its command or call is not counted again. */
  let tested: (StepPosition & StepPlace) | undefined;
  const placeOf = ({ call, step }: StepPosition, start: number, label: () => string): StepPlace => {
    if (tested?.call === call && tested.step === step) return { place: tested.place, start: tested.start };
    const group = groupNumber(step);
    // Closes the calls and groups that have ended.
    for (let top = scopes.at(-1); top?.call !== call || top.group !== group; top = scopes.at(-1)) scopes.pop();
    const scope = at(scopes, scopes.length - 1);
    const name = label();
    const count = (scope.counts.get(name) ?? 0) + 1;
    scope.counts.set(name, count);
    return { place: below(scope.place, count === 1 ? name : `${count}.${name}`), start };
  };

  let nextCall = 1;
  for (let index = 0; index <= plan.ops.length; index += 1) {
    const op = plan.ops[index];
    for (let call = plan.calls[nextCall]; call !== undefined && call.start <= index; call = plan.calls[nextCall]) {
      const { from, start } = call;
      if (from === null) throw new Error('a call that no step makes');
      const place = placeOf(from, start, () => labels.call(call));
      yield new LazyEntry('call', nextCall, place);
      scopes.push({ call: nextCall, group: '', place: place.place, counts: new Map() });
      nextCall += 1;
    }
    // Empty calls may follow the last op.
    if (op === undefined) return;
    if (op.kind === 'hook' && op.call === undefined) {
      yield new LazyEntry('hook', index, { place: below(null, labels.hook(op)), start: index });
    } else if (op.kind === 'hook') {
      // Every call and group in its workflow has ended.
      const isOwn = ({ call, group }: OpenScope): boolean => call === op.call && group === '';
      while (!isOwn(at(scopes, scopes.length - 1))) scopes.pop();
      const place = below(at(scopes, scopes.length - 1).place, labels.hook(op));
      yield new LazyEntry('hook', index, { place, start: index });
    } else if (op.kind === 'run') {
      yield new LazyEntry(
        'run',
        index,
        placeOf(op, index, () => labels.command(op)),
      );
    } else if (op.kind === 'parallel') {
      const place = placeOf(op, index, () => labels.group(op));
      yield new LazyEntry('parallel', index, place);
      scopes.push({ call: op.call, group: String(op.step), place: place.place, counts: new Map() });
    } else if (op.kind === 'condition') {
      const place = placeOf(op, index, () => labelOfTested(plan, index, nextCall, labels));
      tested = { call: op.call, step: op.step, ...place };
      yield new LazyEntry('condition', index, place);
    }
  }
}

/** An entry that lists the labels of its path on request: most callers do not need the paths of calls. */
class LazyEntry implements PathEntry {
  readonly kind: PathEntry['kind'];
  readonly index: number;
  readonly start: number;
  readonly #place: SharedPath;

  constructor(kind: PathEntry['kind'], index: number, { place, start }: StepPlace) {
    this.kind = kind;
    this.index = index;
    this.start = start;
    this.#place = place;
  }

  get path(): StepPath {
    const labels: string[] = [];
    for (let at: SharedPath | null = this.#place; at !== null; at = at.outer) labels.push(at.label);
    return labels.toReversed();
  }

  isAtOrBelow(path: string): boolean {
    const { head } = this.#place;
    // Joining all labels of every step of nested calls would take quadratic time.
    if (!head.startsWith(path) && !path.startsWith(head)) return false;
    return `${this.path.join('/')}/`.startsWith(`${path}/`);
  }
}

/** The label of a condition's step: its command or group is the next op, or its call is the next call. */
function labelOfTested(plan: Plan, condition: number, nextCall: number, labels: Labels): string {
  const op = at(plan.ops, condition);
  const next = plan.ops[afterConditions(plan, condition)];
  if (op.kind === 'hook' || op.kind === 'stop') throw new Error('the op has no condition');
  if (next?.kind === 'run' && next.call === op.call && next.step === op.step) return labels.command(next);
  if (next?.kind === 'parallel' && next.call === op.call && next.step === op.step) return labels.group(next);
  return labels.call(at(plan.calls, nextCall));
}
