import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { failureHelp } from './failure_text.ts';
import type { Options } from '../command_line/parse.ts';
import type { Io } from '../output/io.ts';
import { plainReporter } from './plain.ts';
import type { Prepared } from '../driver/prepare.ts';
import { terminalColumns } from '../output/terminal_width.ts';
import type { Service, Style } from '../output/style.ts';
import type { Reporter } from './reporter.ts';

/**
 * Those who tell of a run: in plain lines, or with progress for whoever watches at a terminal or in the log of a CI
 * service. All that they need is loaded here: a step may replace the files of the tool.
 */
export async function createReporters(
  io: Io,
  prepared: Prepared,
  options: Options,
  isInterrupted: () => boolean,
): Promise<Reporter[]> {
  const { switches } = options;
  const explain = failureHelp(prepared, io.env, switches.has('debug'));
  // Who ended a run knows why it failed.
  const help: typeof explain = (op) => (isInterrupted() ? [] : explain(op));
  const service = switches.has('no-ci') ? undefined : serviceOf(io);
  const isPlain = switches.has('debug') || switches.has('quiet');
  const style = isPlain ? undefined : styleOf(io, service);
  const shown =
    style === undefined
      ? plainReporter(io, prepared.plan, options, help)
      : (await import('./progress.ts')).progressReporter(io, prepared, style, help, isInterrupted);
  if (service !== 'github') return [shown];
  return [shown, (await import('./github.ts')).githubReporter(io, prepared, isInterrupted)];
}

/** A file or a terminal is no log that a service reads, and what is for the service alone should not stand there. */
function serviceOf({ env, stderr }: Io): Service | undefined {
  if (fstatSync(stderr).isFile() || isatty(stderr)) return undefined;
  if (env['GITHUB_ACTIONS'] === 'true') return 'github';
  return env['GITLAB_CI'] === 'true' ? 'gitlab' : undefined;
}

/**
 * Undefined for plain lines. `FORCE_COLOR` (https://force-color.org) outweighs everything, as it does in Node;
 * `NO_COLOR` (https://no-color.org) takes the colours and leaves the signs.
 */
function styleOf({ env, stderr }: Io, service: Service | undefined): Style | undefined {
  const isOff = (name: string): boolean => ['', '0', 'false'].includes(env[name] ?? '');
  const forced = !isOff('FORCE_COLOR');
  const watched = forced || (isOff('CI') && env['TERM'] !== 'dumb' && isatty(stderr));
  if (!watched) return service && { colour: false, signs: false, service, columns: undefined };
  const colour = forced || (!env['FORCE_COLOR'] && !env['NO_COLOR']);
  // The console of Linux has no letters for the signs.
  return { colour, signs: env['TERM'] !== 'linux', service, columns: terminalColumns(stderr) };
}
