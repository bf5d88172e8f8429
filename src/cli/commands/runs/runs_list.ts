import { existsSync } from 'node:fs';
import { enterDirectoryOfRuns } from './open_run.ts';
import { runEntry, type RunEntry } from '../../run_data/run_entry.ts';
import { commandsInFlight } from '../../driver/recording/recorded_commands.ts';
import { runsDirectory, runsPlace, openJournal } from '../../driver/recording/record_run.ts';
import { logDirectory } from '../../../records/journal/directory/file_names.ts';
import { FAILED, runState } from '../../../records/journal/journal.ts';
import { printDocument } from '../../output/document.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { EXIT, printStderr, refuse, type Io } from '../../output/io.ts';
import { terminalColumns } from '../../output/terminal.ts';
import { createRunNames } from './run_names.ts';
import type { ListedRun } from './runs_table.ts';
import { WITHOUT_STATS } from './stats_problems.ts';
import { STORE_OUTPUT } from '../run/store_output.ts';

/** `workflow runs list`: prints the recorded runs, newest first. */
export async function runsList(io: Io, options: Options): Promise<number> {
  if (options.stats) return (await import('./runs_stats.ts')).runsStats(io, options);
  if (options.words.length > 0) return refuse(io, [WITHOUT_STATS]);
  enterDirectoryOfRuns(io, options);
  const opened = openJournal(io, options);
  if (!opened.ok) return refuse(io, opened.problems);
  const journal = opened.value;
  const marks = new Map<string, string>();
  const entries = journal
    .runs()
    .toReversed()
    .flatMap((id) => {
      // One record at a time: together they may be larger than the memory.
      const run = journal.read(id);
      if (run === undefined) return [];
      if (run.holder !== 'alive') for (const [mark, path] of commandsInFlight(run)) marks.set(mark, `${id} ${path}`);
      const state = runState(run);
      return options.failed && !FAILED.has(state) ? [] : runEntry(run, state);
    });
  if (options.format !== 'table') return printDocument(io, await withLeftRunning(entries, marks), options, EXIT.ok);
  const exit = (await import('./runs_table.ts')).printRuns(io, entries.map(createRow(entries)), runsPlace(io));
  const failed = entries.find(({ state, foreign }) => state === 'failed' && foreign !== true);
  if (failed === undefined) return exit;
  const name = createRunNames(entries.map(({ id }) => id))(failed.id);
  const format = terminalColumns(io.stdout) === undefined ? ' --format text' : '';
  const hasLogs = existsSync(logDirectory(runsDirectory(io).path, failed.id));
  printStderr(io, [`to see why: cli runs show ${name}${format}`, ...(hasLogs ? [] : [STORE_OUTPUT])], 'cli: ');
  return exit;
}

/** The entries with the steps that are left running. `marks` has the id and the path of commands without an end. */
async function withLeftRunning(
  entries: readonly RunEntry[],
  marks: ReadonlyMap<string, string>,
): Promise<readonly RunEntry[]> {
  if (marks.size === 0) return entries;
  const { steps } = await (await import('../../driver/recording/orphans.ts')).findMarked(marks);
  return entries.map((entry) => {
    const start = `${entry.id} `;
    const left = [...steps].flatMap((step) => (step.startsWith(start) ? step.slice(start.length) : []));
    return left.length === 0 ? entry : { ...entry, left_running: left };
  });
}

/** Returns a function for the rows of the table. */
function createRow(entries: readonly RunEntry[]): (entry: RunEntry) => ListedRun {
  const nameOf = createRunNames(entries.map(({ id }) => id));
  return ({ id, state, foreign, ...entry }) => ({
    ...entry,
    name: nameOf(id),
    state: foreign === true ? `${state} (foreign)` : state,
  });
}
