import { isExitCode, readsOf } from '../ops.ts';
import { at, type Op, type OutputRead, type Plan } from '../plan.ts';
import type { StepState } from './resume_states.ts';

/**
 * An output of the op `from` that the op `by` reads, and whose value was not recorded: it is secret, or new in the file.
 */
export type LostRead = Readonly<{ from: number; output: string; by: number; isSecret: boolean }>;

const NO_READS: readonly OutputRead[] = [];

/**
 * The unrecorded outputs that ops to run read from ops that do not run. A step whose failure was allowed has no
 * outputs, so none of them is lost.
 */
export function lostReads(
  plan: Plan,
  isToRun: (op: Op, index: number) => boolean,
  steps: ReadonlyMap<number, StepState>,
): readonly LostRead[] {
  const readsOfFrame = frameReads(plan);
  const lost: LostRead[] = [];
  for (const [by, op] of plan.ops.entries()) {
    const reads = [...readsOf(op), ...readsOfFrame(op.kind === 'run' ? (op.ready ?? op.frame) : op.frame)];
    if (reads.length === 0 || !isToRun(op, by)) continue;
    for (const { from, output } of reads) {
      const state = from === null ? undefined : steps.get(from);
      if (from !== null && isLost(state, isExitCode(plan, { from, output }) ? null : output, op))
        lost.push({ from, output, by, isSecret: isHidden(state, output) });
    }
  }
  return lost;
}

/** Whether an output is lost; null for the exit code of the step. */
function isLost(state: StepState | undefined, output: string | null, reader: Op): boolean {
  if (state?.kind !== 'kept' && state?.kind !== 'not selected') return false;
  // A hook runs without the outputs of a step that is left out.
  if (state.finished === null) return reader.kind !== 'hook';
  if (state.finished.failed || output === null) return false;
  const value = state.finished.outputs.find(([name]) => name === output)?.[1];
  return value === undefined || value === null;
}

/** Whether a finished step had an output whose value is secret. */
function isHidden(state: StepState | undefined, output: string): boolean {
  return state?.kind === 'kept' && state.finished.outputs.some(([name]) => name === output);
}

/** Returns a function for the outputs that the variables of a frame and its enclosing frames read. */
export function frameReads({ frames }: Pick<Plan, 'frames'>): (frame: number) => readonly OutputRead[] {
  const known = new Map<number, readonly OutputRead[]>();
  return (frame) => {
    const path: number[] = [];
    for (let index: number | null = frame; index !== null && !known.has(index); index = at(frames, index).parent) {
      path.push(index);
    }
    for (const index of path.toReversed()) {
      const { vars, parent } = at(frames, index);
      const own = vars.flatMap(([, , reads = NO_READS]) => reads);
      const outer = parent === null ? NO_READS : (known.get(parent) ?? NO_READS);
      known.set(index, own.length === 0 ? outer : [...outer, ...own]);
    }
    return known.get(frame) ?? NO_READS;
  };
}
