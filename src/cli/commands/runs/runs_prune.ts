import { pruneRuns, removeOldEntries } from '../../../records/journal/prune.ts';
import { enterDirectoryOfRuns } from './open_run.ts';
import { openJournal, trustOf } from '../../driver/recording/record_run.ts';
import { printDocument } from '../../output/document.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { EXIT, printStderr, refuse, type Io } from '../../output/io.ts';

/** The number of runs to keep by default. */
const KEPT = '50';

/** `workflow runs prune`: removes the oldest runs, and names the resumable ones. */
export function runsPrune(io: Io, options: Options): number {
  const keep = options.keep ?? KEPT;
  if (!/^\d{1,9}$/.test(keep)) return refuse(io, ["flag '--keep' must be a number of runs"]);
  enterDirectoryOfRuns(io, options);
  const journal = openJournal(io, options);
  if (!journal.ok) return refuse(io, journal.problems);
  const now = Date.now();
  removeOldEntries(trustOf(io), now);
  const { removed, lost } = pruneRuns(journal.value, options.all ? 'none' : Number(keep), now);
  printStderr(io, lost, 'cli: ');
  return printDocument(io, { removed }, options, EXIT.ok);
}
