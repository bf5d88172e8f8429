import { formatUsual } from '../../output/quantities.ts';
import type { OpResults } from '../op_results.ts';

/** The usual times of a run and of its steps in milliseconds, from earlier runs; undefined where there are too few. */
export type UsualTimes = Readonly<{ ofStep: (op: number) => number | undefined; ofRun: () => number | undefined }>;

/** Reads the usual times on use; undefined while they are not known. */
export type UsualTimesOf = () => UsualTimes | undefined;

/** A shorter step is not worth a word. */
export const MIN_STEP = 5000;

/** The usual time of a step that is about to run, or nothing. */
export function usualText(ms: number | undefined): string {
  return ms === undefined || ms < MIN_STEP ? '' : `usually ${formatUsual(ms)}`;
}

/** The same in parentheses after another text, or nothing. */
export function usualSuffix(ms: number | undefined): string {
  const text = usualText(ms);
  return text === '' ? '' : ` (${text})`;
}

/** The usual time after a time that differs from it by more than half, or nothing. */
export function unusualText(took: number, usual: number | undefined): string {
  return usual === undefined || Math.abs(took - usual) <= usual / 2 ? '' : usualSuffix(usual);
}

/** A shorter run is not compared, and has no usual time, in milliseconds. */
export const MIN_RUN = 10_000;

/** Whether a run is long enough for a comparison, and for naming its longest chain. */
export function isLong({ ms }: OpResults): boolean {
  return ms >= MIN_RUN;
}

/** The usual time after the time of a whole run, or nothing. */
export function usualRunText({ results, usual }: Readonly<{ results: OpResults; usual: UsualTimesOf }>): string {
  return isLong(results) ? usualSuffix(usual()?.ofRun()) : '';
}
