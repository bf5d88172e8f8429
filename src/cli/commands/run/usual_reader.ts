import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '../../../backend/run_event.ts';
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

/** Reads the usual times of a run while its first command is running. */
export class UsualReader {
  /** Undefined until they are read, and if there are none. */
  times: UsualTimes | undefined;
  readonly #io: Io;
  readonly #plan: Plan;
  readonly #isPart: boolean;
  #recording: Recording | undefined;

  constructor(io: Io, plan: Plan, options: Options) {
    this.#io = io;
    this.#plan = plan;
    this.#isPart = selectsPart(options);
  }

  /** The record of the run has begun. */
  begin(recording: Recording): void {
    const { run, earlier } = recording;
    if (run !== null && earlier?.length !== 0) this.#recording = recording;
  }

  onEvent({ kind }: RunEvent): void {
    const recording = this.#recording;
    if (recording === undefined || kind !== 'started') return;
    this.#recording = undefined;
    setTimeout(() => void this.#read(recording), AFTER_START).unref();
  }

  async #read({ session, earlier }: Recording): Promise<void> {
    try {
      if (earlier !== null && !haveLong(runsDirectory(this.#io).path, earlier)) return;
      const { readUsualTimes } = await import('../../run_data/statistics/usual_times.ts');
      const times = readUsualTimes(this.#io, this.#plan);
      this.times = session === 1 && !this.#isPart ? times : { ...times, ofRun: () => undefined };
    } catch {
      // A step may have replaced the tool's files, and no bug here ends the run.
    }
  }
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
