import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan } from '../../../ir/plan.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { runsDirectory, type Recording } from '../../driver/recording/record_run.ts';
import { selectsPart } from '../../driver/recording/selected_part.ts';
import type { Io } from '../../output/io.ts';
import { MIN_STEP, type UsualTimes } from '../../reporters/times/usual_text.ts';

/** The time from the start of the first command, in milliseconds: a run that ends within it reads nothing. */
const AFTER_START = 500;

/** The number of newest records of which two must be of runs that took some time: usual times are read for these only. */
const NEWEST = 50;

/**
 * Reads the usual times of a run, for which its first command is running, and passes them to `onRead`. `onRead` is not
 * called if there are none, or if the run ends before.
 */
export function readUsualLater(
  io: Io,
  plan: Plan,
  options: Options,
  { run, session, earlier }: Recording,
  onRead: (times: UsualTimes) => void,
): void {
  if (run === null || earlier?.length === 0) return;
  const read = async (): Promise<void> => {
    try {
      if (earlier !== null && !haveLong(runsDirectory(io).path, earlier)) return;
      const { readUsualTimes } = await import('../../run_data/statistics/usual_times.ts');
      const times = readUsualTimes(io, plan);
      onRead(session === 1 && !selectsPart(options) ? times : { ...times, ofRun: () => undefined });
    } catch {
      // A step may have replaced the tool's files, and no bug here ends the run.
    }
  };
  setTimeout(() => void read(), AFTER_START).unref();
}

/** Whether at least two of the newest runs took so long that a step may have a usual time: from the start in the id to the last change. */
function haveLong(directory: string, ids: readonly string[]): boolean {
  const newest = ids.toSorted().slice(-NEWEST);
  const isLong = (id: string): boolean => {
    const start = Date.parse(id.replace(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d).*/, '$1-$2-$3T$4:$5:$6Z'));
    return [id, join(id, 'session-1.ndjson')].some((name) => {
      const changed = lstatSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? start;
      // The id has the second of the start. A changed clock proves nothing.
      return changed < start || changed >= start + MIN_STEP;
    });
  };
  return newest.filter(isLong).length > 1;
}
