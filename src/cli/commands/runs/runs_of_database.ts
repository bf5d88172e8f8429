import { writeBytes } from '../../../backend/system/write.ts';
import { PLAN_FORMAT } from '../../../ir/plan.ts';
import type { Engine, RunQuery } from '../../engine/engine.ts';
import { loadEngine } from '../../engine/load_engine.ts';
import { remoteFields, remoteRunEntry } from '../../run_data/remote/remote_entry.ts';
import type { CommandWords, Options } from '../../command_line/parse_command_line.ts';
import { printDocument } from '../../output/document.ts';
import { EXIT, refuse, type Io } from '../../output/io.ts';
import { FAILED } from '../../../records/journal/journal.ts';
import { STATS_HERE, WITHOUT_STATS } from './stats_problems.ts';
import { conclude, printerOf } from '../workers/run_on_worker.ts';

/** The `runs` commands that work on a database. */
export type RemoteCommand = Exclude<Extract<CommandWords, `workflow runs ${string}`>, 'workflow runs prune'>;

/** `workflow runs …` on a database. */
export async function runsOn(io: Io, command: RemoteCommand, url: string, options: Options): Promise<number> {
  const [id = '', ...others] = options.words;
  if (command !== 'workflow runs list') {
    if (options.failed || options.last)
      return refuse(io, [`'--${options.failed ? 'failed' : 'last'}' cannot be used with a database`]);
    if (id === '') return refuse(io, ['name a run (cli runs --on URL lists them)']);
    if (others.length > 0) return refuse(io, [`unexpected argument '${others[0]}'`]);
  }
  if (options.stats) return refuse(io, [STATS_HERE]);
  if (command === 'workflow runs list' && options.words.length > 0) return refuse(io, [WITHOUT_STATS]);
  if (options.report.length > 0) return refuse(io, ["'--report' cannot be used with a database"]);
  const loaded = await loadEngine(io);
  if (!loaded.ok) return refuse(io, loaded.problems);
  const { value: engine } = loaded;
  const query = { url, id, format: PLAN_FORMAT };
  switch (command) {
    case 'workflow runs list':
      return list(io, engine, url, options);
    case 'workflow runs show': {
      const found = await engine.show(query);
      if (!found.ok) return refuse(io, found.problems);
      return (await import('./show_remote_run.ts')).showRemoteRun(io, found.value, options);
    }
    case 'workflow runs logs':
      return logs(io, engine, query);
    case 'workflow runs wait': {
      const printer = printerOf(io);
      const quiet = options.quiet ? { log: () => undefined } : {};
      return conclude(io, await engine.wait(query, { ...printer, ...quiet }), options);
    }
    case 'workflow runs resume':
      return conclude(io, await engine.resume(query, printerOf(io)), options);
    case 'workflow runs cancel': {
      const cancelled = await engine.cancel(query);
      if (!cancelled.ok) return refuse(io, cancelled.problems);
      const { entry, wasOver } = cancelled.value;
      return printDocument(io, remoteFields(entry), options, wasOver ? EXIT.no : EXIT.ok);
    }
  }
}

async function list(io: Io, engine: Engine, url: string, options: Options): Promise<number> {
  const found = await engine.list(url);
  if (!found.ok) return refuse(io, found.problems);
  const listed = found.value.filter(({ state }) => !options.failed || FAILED.has(state));
  const entries = listed.map((entry) => remoteRunEntry(entry));
  if (options.format !== 'table') return printDocument(io, entries, options, EXIT.ok);
  // Commands find a remote run by its whole id only, and its steps are not listed.
  const rows = entries.map(({ id: name, workflow, state, start, duration_ms }) => {
    return { name, workflow, state, start, duration_ms, step: '-' };
  });
  return (await import('./runs_table.ts')).printRuns(io, rows, 'the database');
}

async function logs(io: Io, engine: Engine, query: RunQuery): Promise<number> {
  let problem: string | undefined;
  const found = await engine.logs(query, (bytes) => (problem ??= writeBytes(io.stdout, Buffer.from(bytes))));
  if (!found.ok) return refuse(io, found.problems);
  return problem === undefined ? EXIT.ok : EXIT.notWritten;
}
