import { spawn } from 'node:child_process';
import { Writable } from 'node:stream';
import { ownCommand } from '../../../backend/process/own_process.ts';
import { givenFlags } from '../../driver/flag_words.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { printStderr, type Io } from '../../output/io.ts';

/** The flags of `run` with which there is no record to show, or one for each change of a file. */
const UNSHOWN = ['on', 'dryRun', 'watch', 'noJournal'] as const;

/** The time in which the page of a run begins to listen, in milliseconds. The run does not wait for it any longer. */
const START_TIME = 10_000;

/** The page of a run. `show` prints its address, and tells the page which run it is of. */
type PageOfRun = Readonly<{ show: (run: string | null) => void }>;

/** The problems with `--web` in a command line. */
export function webProblems({ env }: Io, options: Options): readonly string[] {
  const flags = givenFlags(options, UNSHOWN);
  if (flags.length > 0) return flags.map((flag) => `'--web' cannot be used with '${flag}'`);
  return env['CLI_NO_JOURNAL'] ? ["'--web' needs the record of the run: unset CLI_NO_JOURNAL"] : [];
}

/** The options of a run whose output is on its page, unless it is not to be stored. */
export function withLogs(options: Options): Options {
  return { ...options, logs: !options.noLogs };
}

/**
 * Starts its arguments as a process of which this one is not the parent: signals end the children of a run. The shell
 * would give it an empty standard input.
 */
const APART = '"$@" <&3 3<&- &';

/**
 * Starts the page of a run, in a session of its own and without a descriptor of the run, which therefore ends without it.
 * The pipe to the page ends with the process of the run, however that ends.
 */
export async function openPage(io: Io): Promise<PageOfRun> {
  const words = ['-c', APART, 'sh', ...ownCommand(), 'workflow', 'process', '--', 'ui'];
  const page = spawn('/bin/sh', words, { stdio: ['ignore', 'pipe', 'ignore', 'pipe'], detached: true, env: io.env });
  const [, output, , input] = page.stdio;
  if (!(input instanceof Writable) || output === null) throw new Error('no pipes to the page of the run');
  // The page may have ended.
  input.on('error', () => undefined);
  const answer = await new Promise<string>((resolve) => {
    const timer = setTimeout(resolve, START_TIME, 'it does not answer');
    let text = '';
    const settle = (found: string): void => {
      clearTimeout(timer);
      resolve(found);
    };
    output.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.endsWith('\n')) settle(text.trimEnd());
    });
    page.once('error', ({ message }) => settle(message));
    output.once('end', () => settle('its server has ended'));
  });
  page.unref();
  output.destroy();
  if (!answer.startsWith('http://')) {
    return { show: () => printStderr(io, [`no page for this run: ${answer}`], 'cli: warning: ') };
  }
  return {
    show: (run) => {
      // Without a record, of which the run has warned, the page ends when the run does.
      if (run === null) return;
      input.write(run);
      printStderr(io, [`this run at ${answer}`], 'cli: ');
    },
  };
}
