import { spawn, type StdioOptions } from 'node:child_process';
import { ownCommand } from '../../backend/process/own_process.ts';
import type { Options } from '../../command_line/parse.ts';
import { printStderr, type Io } from '../../output/io.ts';

/** The flags of `run` with which there is no record to show, or one for each change of a file. */
const UNSHOWN = ['on', 'dry-run', 'watch', 'no-journal'] as const;

/** The time in which the page of a run begins to listen, in milliseconds. The run does not wait for it any longer. */
const START_TIME = 10_000;

/** The page of a run. `show` prints its address, and tells the page which run it is of. */
type PageOfRun = Readonly<{ show: (run: string | null) => void }>;

/** The problems with `--web` in a command line. */
export function webProblems({ env }: Io, { switches, values }: Options): readonly string[] {
  const flags = UNSHOWN.filter((flag) => switches.has(flag) || values.has(flag));
  if (flags.length > 0) return flags.map((flag) => `'--web' cannot be used with '--${flag}'`);
  return env['CLI_NO_JOURNAL'] ? ["'--web' needs the record of the run: unset CLI_NO_JOURNAL"] : [];
}

/** The options of a run whose output is on its page, unless it is not to be stored. */
export function withLogs(options: Options): Options {
  const { switches } = options;
  return switches.has('no-logs') ? options : { ...options, switches: new Set([...switches, 'logs']) };
}

/** Starts its arguments as a process of which this one is not the parent: signals end the children of a run. */
const APART = '"$@" &';

/**
 * Starts `cli ui` for a run, in a session of its own and without a descriptor of the run, which therefore ends without
 * it. The channel between the two ends with the process of the run, however that ends.
 */
export async function openPage(io: Io): Promise<PageOfRun> {
  const warn = (why: string): PageOfRun => ({
    show: () => printStderr(io, [`no page for this run: ${why}`], 'cli: warning: '),
  });
  // Its channel ends with the shell that starts the page.
  if (process.versions['bun'] !== undefined) return warn('the standalone executable has none; cli ui shows the run');
  const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', 'ipc'];
  const words = ['-c', APART, 'sh', ...ownCommand(), 'ui'];
  const page = spawn('/bin/sh', words, { stdio, detached: true, env: io.env });
  const answer = await new Promise<unknown>((resolve) => {
    const timer = setTimeout(resolve, START_TIME, 'it does not answer');
    const settle = (text: unknown): void => {
      clearTimeout(timer);
      resolve(text);
    };
    page.once('message', settle);
    page.once('error', ({ message }) => settle(message));
    page.once('disconnect', () => settle('its server has ended'));
  });
  page.unref();
  if (!isAddress(answer)) return warn(String(answer));
  return {
    show: (run) => {
      // Without a record, of which the run has warned, the page ends when the run does.
      if (run === null) return;
      // Without a page, if it has ended meanwhile.
      page.send(run, () => undefined);
      printStderr(io, [`this run at ${answer}`], 'cli: ');
    },
  };
}

function isAddress(answer: unknown): answer is string {
  return typeof answer === 'string' && answer.startsWith('http://');
}
