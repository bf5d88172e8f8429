import type { RunEvent } from '../../../backend/run_event.ts';
import type { Plan } from '../../../ir/plan.ts';
import type { Options } from '../../command_line/parse.ts';
import type { Recording } from '../../driver/runs/record_run.ts';
import { selectsPart } from '../../driver/runs/selected_part.ts';
import type { Io } from '../../output/io.ts';
import type { UsualTimes } from '../../reporters/times/usual_times.ts';

/** The time from the start of the first command, in milliseconds: a run that ends within it reads nothing. */
const AFTER_START = 50;

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

  async #read({ session }: Recording): Promise<void> {
    try {
      const { readUsualTimes } = await import('../../runs/statistics/usual_times.ts');
      const times = readUsualTimes(this.#io, this.#plan);
      this.times = session === 1 && !this.#isPart ? times : { ...times, ofRun: () => undefined };
    } catch {
      // A step may have replaced the tool's files, and no bug here ends the run.
    }
  }
}
