import { at, type Plan, type StepPosition } from '../plan.ts';
import { NAMES } from './identity.ts';
import { stepPaths } from './step_paths.ts';

/** The ops of a step, from its condition on, without the one at `end`: those of a call are all of its steps'. */
export type OpRange = Readonly<{ start: number; end: number }>;

/** The step that a text on the command line means; or the paths of all steps, or of those that it may mean. */
export type Resolution = Readonly<
  { kind: 'one'; range: OpRange } | { kind: 'none' | 'several'; paths: readonly string[] }
>;

/** `number` is the position of a step of the workflow asked for. */
type NamedStep = Readonly<{ name: string; path: string; number: string | undefined; range: OpRange }>;

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
  return { kind: 'one', range: first.range };
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
  for (const { kind, index, path, start } of stepPaths(plan, NAMES)) {
    const entry = { path: path.join('/') };
    if (kind === 'call') {
      const call = at(plan.calls, index);
      steps.push({ ...entry, name: NAMES.call(call), number: numberOf(call.from), range: { start, end: call.end } });
    } else {
      const op = at(plan.ops, index);
      if (op.kind !== 'run' && op.kind !== 'parallel') continue;
      const end = op.kind === 'run' ? index + 1 : op.end.op;
      steps.push({ ...entry, name: op.name, number: numberOf(op), range: { start, end } });
    }
  }
  return steps;
}

function numberOf(position: StepPosition | null): string | undefined {
  return position?.call === 0 ? String(position.step) : undefined;
}
