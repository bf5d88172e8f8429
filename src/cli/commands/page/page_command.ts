import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { SIGNALS } from '../../../backend/command_runner.ts';
import { limitHeap } from '../../../backend/system/limit_heap.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { EXIT, printStderr, refuse, type Io } from '../../output/io.ts';
import { enterDirectoryOfRuns } from '../runs/open_run.ts';
import { RecordedRuns } from '../../run_data/recorded_runs.ts';
import type { RemoteRuns } from '../../run_data/remote/remote_runs.ts';
import { PLAN_FORMAT } from '../../../ir/plan.ts';
import type { Result } from '../../../base/result.ts';
import { createReadStream } from 'node:fs';
import { write } from '../../../backend/system/write.ts';

/** The time without an open page after which the page of an ended run ends, and between two looks, in milliseconds. */
const [QUIET_TIME, LOOK] = [10_000, 500];

/**
 * The run that has started this page. It writes its id to standard input, which ends with its process, and reads the
 * address from standard output.
 */
class RunOfPage {
  /** The id of the run, once it is recorded. */
  id: string | undefined;
  readonly #stdout: number;
  readonly #ended: Promise<void>;

  constructor({ stdin, stdout }: Pick<Io, 'stdin' | 'stdout'>) {
    this.#stdout = stdout;
    const input = createReadStream('', { fd: stdin, encoding: 'utf8' });
    // An id is smaller than what a pipe passes on at once.
    input.on('data', (text) => (this.id = String(text).trim()));
    this.#ended = new Promise((resolve) => {
      for (const event of ['end', 'error']) input.once(event, resolve);
    });
  }

  /** Tells the run that there is no page. */
  refuse(problems: readonly string[]): number {
    this.#send(problems.join('; '));
    return EXIT.cannotStart;
  }

  /** Tells the run the address. Settles after its end, once no page has been open for a while. */
  async serve(address: string, quietTime: () => number): Promise<void> {
    this.#send(address);
    await this.#ended;
    const end = performance.now();
    while (Math.min(quietTime(), performance.now() - end) < QUIET_TIME) await delay(LOOK);
  }

  /** Writes a line, unless the run has ended meanwhile. */
  #send(text: string): void {
    write(this.#stdout, [`${text}\n`]);
  }
}

const MAX_PORT = 65_535;

/** `workflow process -- ui`: serves the page of the run that has started this process, see `open_page.ts`. */
export function pageOfRun(io: Io, options: Options): Promise<number> {
  return page(io, { ...options, words: [] }, new RunOfPage(io));
}

/** `ui`: serves the page of runs until a signal ends it. */
export async function page(io: Io, options: Options, run?: RunOfPage): Promise<number> {
  await limitHeap();
  const refused = (problems: readonly string[]): number => run?.refuse(problems) ?? refuse(io, problems);
  const { port: given = '0' } = options;
  const port = /^\d{1,5}$/.test(given) ? Number(given) : Infinity;
  const [word] = options.words;
  if (word !== undefined) return refused([`unexpected argument '${word}'`]);
  if (port > MAX_PORT) return refused([`--port must be a number from 0 to ${MAX_PORT}, not '${given}'`]);
  if (run === undefined && options.on === undefined) enterDirectoryOfRuns(io, options);
  const { readOnly, on: url } = options;
  const directory = url === undefined ? process.cwd() : null;
  const runs =
    url === undefined
      ? RecordedRuns.open(io, { directory: process.cwd(), readOnly })
      : await openRemote(io, url, readOnly);
  if (!runs.ok) return refused(runs.problems);
  const isOver = new Promise<void>((resolve) => {
    for (const signal of SIGNALS) process.on(signal, () => resolve());
  });
  const { serve } = await import('./ui.cjs');
  const served = await serve({ directory, readOnly, runs: runs.value, port, runShown: () => run?.id });
  if (!served.ok) return refused(served.problems);
  const { key, close, quietTime } = served.value;
  const address = `http://127.0.0.1:${served.value.port}/#k=${key}`;
  if (run === undefined) printStderr(io, [`runs of ${directory ?? 'all workers'} at ${address}`], 'cli: ');
  if (runs.value.kind === 'files') void readAhead(runs.value);
  await Promise.race([isOver, ...(run === undefined ? [] : [run.serve(address, quietTime)])]);
  close();
  if (runs.value.kind === 'database') runs.value.close();
  return EXIT.ok;
}

/** Reads the records while a browser opens the page, which then finds them known. Other requests are answered meanwhile. */
async function readAhead(runs: RecordedRuns): Promise<void> {
  for (const id of runs.ids()) {
    runs.isSettled(id);
    await nextTurn();
  }
}

/** Opens the runs of all workers. `CLI_ON` is not read: it would take the runs of the directory away from the page. */
async function openRemote(io: Io, url: string, readOnly: boolean): Promise<Result<RemoteRuns>> {
  const { loadEngine } = await import('../../engine/load_engine.ts');
  const engine = await loadEngine(io);
  if (!engine.ok) return engine;
  const opened = await engine.value.open(url, PLAN_FORMAT);
  if (!opened.ok) return opened;
  const { RemoteRuns: Runs } = await import('../../run_data/remote/remote_runs.ts');
  return { ok: true, value: new Runs(opened.value, readOnly) };
}
