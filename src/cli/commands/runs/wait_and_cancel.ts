import { setTimeout as delay } from 'node:timers/promises';
import { runEntry } from '../../run_data/run_entry.ts';
import { untrusted } from '../../driver/recording/find_run.ts';
import { interruptHolder } from '../../../records/journal/holder/holder.ts';
import { endOf, type Journal, type RecordedRun, runState } from '../../../records/journal/journal.ts';
import { printDocument } from '../../output/document.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { EXIT, printStderr, refuse, type Io } from '../../output/io.ts';
import { runsShow } from './runs_show.ts';
import { openRun } from './open_run.ts';

/** The interval at which the record of a run is read, in milliseconds. */
const INTERVAL = 100;

/** `workflow runs wait`: prints a run at its end, as `show` does, and exits as it did. */
export async function runsWait(io: Io, options: Options): Promise<number> {
  const found = openRun(io, options);
  if (!found.ok) return refuse(io, found.problems);
  const { journal, run } = found.value;
  const header = run.sessions.at(-1)?.header;
  if (run.holder === 'unclear')
    printStderr(io, [`run ${run.id} is on ${header?.host} (process ${header?.pid}); waiting for its record`], 'cli: ');
  const ended = await atEnd(journal, run);
  const printed = await runsShow(io, { ...options, words: [run.id] });
  if (printed !== EXIT.ok) return printed;
  const last = ended.sessions.at(-1);
  const end = last && endOf(last);
  if (end?.interrupted) return io.die(end.interrupted);
  return end?.success === true ? EXIT.ok : EXIT.no;
}

/** `workflow runs cancel`: interrupts the process of a run as Ctrl-C does, and prints the entry of the run at its end. */
export async function runsCancel(io: Io, options: Options): Promise<number> {
  const found = openRun(io, options);
  if (!found.ok) return refuse(io, found.problems);
  const { journal, run } = found.value;
  if (run.foreign) return refuse(io, [untrusted(run.id)]);
  const wasOver = run.holder !== 'alive' && run.holder !== 'unclear';
  const header = run.sessions.at(-1)?.header;
  const isInterrupted = wasOver || (header !== undefined && interruptHolder(header));
  if (!isInterrupted && journal.read(run.id)?.holder === run.holder) {
    const where = `process ${header?.pid} of user ${header?.uid} on ${header?.host}`;
    return refuse(io, [`cannot interrupt run ${run.id} from here (${where}): cancel it there`]);
  }
  const ended = await atEnd(journal, run);
  return printDocument(io, runEntry(ended, runState(ended)), options, wasOver ? EXIT.no : EXIT.ok);
}

/** The record of a run once its session has ended, as it was last if it has been removed. */
async function atEnd(journal: Journal, run: RecordedRun): Promise<RecordedRun> {
  let last = run;
  while (last.holder === 'alive' || last.holder === 'unclear') {
    await delay(INTERVAL);
    const next = journal.read(run.id);
    if (next === undefined) return last;
    last = next;
  }
  return last;
}
