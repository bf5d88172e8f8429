import type { Stats } from 'node:fs';
import { relative } from 'node:path';
import { watch as watchPaths, type FSWatcher } from 'chokidar';
import { OwnProcess } from '../../backend/process/own_process.ts';
import type { Options } from '../../command_line/parse.ts';
import { operandProblems, prepareRun } from '../../driver/prepare.ts';
import { partNames } from '../../driver/runs/select_part.ts';
import type { Variable } from '../../ir/plan.ts';
import { printMessage } from '../../output/messages/print_messages.ts';
import { EXIT, refuse, printStderr, type Io } from '../../output/io.ts';
import { isIgnored, isLinkBelow, namedPaths, ownFiles, writtenFiles } from './watched_paths.ts';

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
  const [directory, shown] = [process.cwd(), io.env['PWD']];
  try {
    const problems = await operandProblems(io, options);
    for (const problem of problems) await printMessage(io, options, problem);
    if (problems.length > 0) return EXIT.cannotStart;
    const prepared = await prepareRun(io, options);
    const questions = prepared.ok ? prepared.value.questions : undefined;
    if (!prepared.ok || questions === undefined) return [];
    return await (await import('../run/ask_inputs.ts')).askInputs(io, options, prepared.value.plan.workflow, questions);
  } finally {
    // Each run searches for its file, and says where it is.
    process.chdir(directory);
    if (shown !== undefined) io.env['PWD'] = shown;
  }
}

class Watch {
  readonly #io: Io;
  readonly #options: Options;
  readonly #roots: readonly string[];
  /** The inputs that the user has typed. They may be secret, so they are no arguments of the runs. */
  readonly #answers: readonly Variable[];
  readonly #watcher: FSWatcher;
  readonly #process: OwnProcess;
  /** The paths that have changed since the last run started. */
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Ends the wait for a change. */
  #wake: () => void = () => undefined;
  #signal: NodeJS.Signals | undefined;

  constructor(io: Io, options: Options, roots: readonly string[], answers: readonly Variable[]) {
    this.#io = io;
    this.#answers = answers;
    this.#options = options;
    this.#roots = roots;
    const written = writtenFiles(options, io.env);
    const ignored = (path: string, stats?: Stats): boolean =>
      isIgnored(path, roots, written) || (stats?.isDirectory() === true && isLinkBelow(path, roots));
    this.#watcher = watchPaths([...roots], { ignoreInitial: true, ignored });
    this.#watcher.on('all', (_, path) => this.#note(path));
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
      this.#changed.clear();
      this.#watcher.add([...(await ownFiles(this.#options))]);
      const woken = this.#nextChange();
      await this.#process.run(args, { ...this.#io.env, ...Object.fromEntries(this.#answers) });
      if (this.#signal !== undefined) break;
      if (this.#changed.size === 0) this.#print(`waiting for changes in ${this.#shown(this.#roots)}`);
      await woken;
      if (this.#changed.size > 0) this.#print(`changed: ${this.#shown([...this.#changed])}`);
    }
    this.#process.close();
    await this.#watcher.close();
    return this.#signal === undefined ? EXIT.bug : this.#io.die(this.#signal);
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Records a change, and ends the run or the wait once no further change follows for `SETTLING_TIME`. */
  #note(path: string): void {
    this.#changed.add(path);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#process.end();
      this.#wake();
    }, SETTLING_TIME);
  }

  #print(message: string): void {
    if (!this.#options.switches.has('quiet')) printStderr(this.#io, [message], 'cli: ');
  }

  /** The first few paths, relative to the current directory. */
  #shown(paths: readonly string[]): string {
    const all = paths.map((path) => relative(process.cwd(), path) || '.');
    return all.length > 3 ? `${all.slice(0, 3).join(', ')} and ${all.length - 3} more` : all.join(', ');
  }
}

/** The command line of one run of a watched workflow. */
function runArguments({ form, words, args, switches, values, lists }: Options): readonly string[] {
  const flags = [...values].flatMap(([flag, value]) => {
    const all = flag === 'watch' ? [] : (lists.get(flag) ?? [value]);
    return all.map((each) => `--${flag}=${each}`);
  });
  const bare = [...switches].map((flag) => `--${flag}`);
  // After the first `--`, no word is a flag. A second `--` begins the arguments of commands.
  const rest = args.length === 0 ? words : [...words, '--', ...args];
  return [...(form === 'long' ? ['workflow'] : []), 'run', ...bare, ...flags, '--', ...rest];
}
