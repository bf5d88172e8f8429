import type { Stats } from 'node:fs';
import { relative } from 'node:path';
import { watch as watchPaths, type FSWatcher } from 'chokidar';
import { OwnProcess } from '../../../backend/process/own_process.ts';
import { flagWords } from '../../driver/flag_words.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { operandProblems, prepareRun } from '../../driver/prepare_run.ts';
import { partNames } from '../../driver/recording/select_part.ts';
import type { Variable } from '../../../ir/plan.ts';
import { printMessage } from '../../output/messages/print_messages.ts';
import { EXIT, refuse, printStderr, type Io } from '../../output/io.ts';
import { RoundRecords } from './round_records.ts';
import { dotenvFilesOf, generatedBy, IgnoredPaths, namedPaths, ownFiles } from './watched_paths.ts';

/**
 * Changes within this many milliseconds count as one: editors write a file in several steps, and chokidar reports a
 * removal after 100 ms.
 */
const SETTLING_TIME = 200;

/**
 * `run --watch`: runs a workflow, and again after each change below the watched paths. Ends with SIGINT, SIGTERM or
 * SIGHUP.
 */
export async function watch(io: Io, options: Options): Promise<number> {
  if (options.file === '-') return refuse(io, ["'--watch' needs a file, which it can read again"]);
  const { paths, problems } = namedPaths(options);
  const part = partNames(options);
  // A run would refuse these each time, whatever changes.
  const lasting = [...problems, ...(part.ok ? [] : part.problems)];
  if (lasting.length > 0) return refuse(io, lasting);
  const answers = await askOnce(io, options);
  return typeof answers === 'number' ? answers : new Watch(io, options, paths, answers).run();
}

/**
 * Checks the words after the name of the workflow, and asks for its required inputs, of which the runs know nothing.
 * Returns the answers, or the exit code.
 */
async function askOnce(io: Io, options: Options): Promise<readonly Variable[] | number> {
  return inPlace(io, async () => {
    const problems = await operandProblems(io, options);
    for (const problem of problems) await printMessage(io, options, problem);
    if (problems.length > 0) return EXIT.cannotStart;
    const prepared = await prepareRun(io, options);
    const questions = prepared.ok ? prepared.value.questions : undefined;
    if (!prepared.ok || questions === undefined) return [];
    return await (await import('../run/ask_inputs.ts')).askInputs(io, options, prepared.value.plan.workflow, questions);
  });
}

/** Does work that enters the directory of the file. Each run searches for its file again, and says where it is. */
async function inPlace<Result>(io: Io, work: () => Promise<Result>): Promise<Result> {
  const [directory, shown] = [process.cwd(), io.env['PWD']];
  try {
    return await work();
  } finally {
    process.chdir(directory);
    if (shown !== undefined) io.env['PWD'] = shown;
  }
}

/** The number of runs during which a file may change, one after the other, until it starts no further run. */
const RESTLESS = 3;

class Watch {
  readonly #io: Io;
  readonly #options: Options;
  readonly #roots: readonly string[];
  /** The inputs that the user has typed. They may be secret, so they are no arguments of the runs. */
  readonly #answers: readonly Variable[];
  readonly #watcher: FSWatcher;
  readonly #process: OwnProcess;
  readonly #ignored: IgnoredPaths;
  readonly #records: RoundRecords;
  /** The paths that have changed since the start of the last run, and the paths whose change started it. */
  #changed = new Set<string>();
  #causes: ReadonlySet<string> = new Set();
  /** The paths that have changed during the last run, and those during earlier ones without a break, with their number. */
  readonly #restless = new Set<string>();
  #streaks: ReadonlyMap<string, number> = new Map();
  #isRunning = false;
  /** The end of the last run, in milliseconds since 1970. */
  #end = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Ends the wait for a change. */
  #wake: () => void = () => undefined;
  #signal: NodeJS.Signals | undefined;

  constructor(io: Io, options: Options, roots: readonly string[], answers: readonly Variable[]) {
    this.#io = io;
    this.#answers = answers;
    this.#options = options;
    this.#roots = roots;
    this.#records = new RoundRecords(io);
    this.#ignored = new IgnoredPaths(roots, options, io.env);
    this.#ignored.update([], undefined);
    const ignored = (path: string, stats?: Stats): boolean =>
      this.#ignored.isUnwatched(path, stats?.isDirectory() === true);
    this.#watcher = watchPaths([...roots], { ignoreInitial: true, ignored });
    this.#watcher.on('all', (event, path, stats) => {
      if (!event.endsWith('Dir')) this.#note(path, stats);
    });
    this.#watcher.on('error', (error) => printStderr(io, [`watching: ${String(error)}`], 'cli: warning: '));
    this.#process = new OwnProcess((signal) => {
      this.#signal = signal;
      this.#wake();
    });
  }

  /** Runs until a signal arrives. */
  async run(): Promise<number> {
    await new Promise<void>((resolve) => void this.#watcher.once('ready', resolve));
    const args = runArguments(this.#options);
    while (this.#signal === undefined) {
      this.#causes = this.#changed;
      this.#changed = new Set();
      let woken = this.#nextChange();
      await this.#readFile();
      this.#isRunning = true;
      const pid = await this.#process.run(args, this.#environment());
      [this.#isRunning, this.#end] = [false, Date.now()];
      this.#records.end(pid);
      if (this.#signal !== undefined) break;
      if (this.#changed.size === 0) this.#print(`waiting for changes in ${this.#shown(this.#roots)}`);
      await woken;
      this.#countRestless();
      while (this.#signal === undefined && this.#isSettled()) {
        woken = this.#nextChange();
        await woken;
      }
      if (this.#changed.size > 0) this.#print(`changed: ${this.#shown([...this.#changed])}`);
    }
    this.#process.close();
    await this.#watcher.close();
    return this.#signal === undefined ? EXIT.bug : this.#io.die(this.#signal);
  }

  /** Watches the files named in the workflow file, and ignores the files that its steps generate. */
  async #readFile(): Promise<void> {
    const own = await ownFiles(this.#options);
    const io = { ...this.#io, env: this.#environment() };
    const ran = await inPlace(this.#io, async () => {
      const prepared = await prepareRun(io, this.#options);
      this.#records.begin();
      if (!prepared.ok) return undefined;
      const { plan } = prepared.value;
      return { isGenerated: await generatedBy(plan), dotenv: dotenvFilesOf(plan) };
    });
    const named = [...new Set([...own, ...(ran?.dotenv ?? [])])];
    this.#ignored.update(named, ran?.isGenerated);
    this.#watcher.add(named);
  }

  #environment(): Io['env'] {
    return { ...this.#io.env, ...Object.fromEntries(this.#answers) };
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Records a change, and ends the run or the wait once no further change follows for `SETTLING_TIME`. */
  #note(path: string, stats: Stats | undefined): void {
    if (this.#ignored.has(path) || (!this.#isRunning && this.#isRestless(path))) return;
    if (this.#isRunning || (stats !== undefined && stats.ctimeMs <= this.#end)) this.#restless.add(path);
    this.#changed.add(path);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#settle(), SETTLING_TIME);
  }

  /** Ends the run, unless a step seems to write all changed files: they started this run, or change in every run. */
  #settle(): void {
    const all = [...this.#changed];
    const again = all.filter((path) => this.#causes.has(path));
    const isFresh = all.some((path) => !this.#causes.has(path) && !this.#isRestless(path));
    if (isFresh || !this.#isRunning) this.#process.end();
    else if (again.length > 0)
      this.#print(
        `this run continues to its end: it was started by a file that has changed again: ${this.#shown(again)}`,
      );
    this.#wake();
  }

  #isRestless(path: string): boolean {
    return (this.#streaks.get(path) ?? 0) >= RESTLESS;
  }

  /** Counts the runs without a break during which files have changed. */
  #countRestless(): void {
    this.#streaks = new Map([...this.#restless].map((path) => [path, (this.#streaks.get(path) ?? 0) + 1]));
    this.#restless.clear();
  }

  /** Whether only files have changed that change in every run, and start none any more until another one changes. */
  #isSettled(): boolean {
    const all = [...this.#changed];
    if (!all.every((path) => this.#isRestless(path))) return false;
    if (all.length > 0)
      this.#print(
        `waiting for other changes: this changed in ${RESTLESS} runs, one after the other, so a step may write it: ${this.#shown(all)}`,
      );
    this.#changed.clear();
    return true;
  }

  #print(message: string): void {
    if (!this.#options.quiet) printStderr(this.#io, [message], 'cli: ');
  }

  /** The first few paths, relative to the current directory. */
  #shown(paths: readonly string[]): string {
    const all = paths.map((path) => relative(process.cwd(), path) || '.');
    return all.length > 3 ? `${all.slice(0, 3).join(', ')} and ${all.length - 3} more` : all.join(', ');
  }
}

/** The command line of one run of a watched workflow. */
function runArguments(options: Options): readonly string[] {
  const { form, words, args } = options;
  const flags = flagWords(options, 'watch').map((each) => each.join('='));
  // After the first `--`, no word is a flag. A second `--` begins the arguments of commands.
  const rest = args.length === 0 ? words : [...words, '--', ...args];
  return [...(form === 'long' ? ['workflow'] : []), 'run', ...flags, '--', ...rest];
}
