import { isatty } from 'node:tty';
import type { Options } from '../command_line/parse.ts';
import type { Io } from '../output/io.ts';
import { plainReporter } from './plain.ts';
import { terminalColumns } from '../output/terminal_width.ts';
import { colourMode, isOff } from '../output/paint.ts';
import { serviceOf } from '../output/service.ts';
import type { Service, Style } from '../output/style.ts';
import type { ReportedRun, Reporter } from './reporter.ts';

/**
 * The reporters of a run: plain lines, or progress at a terminal and in the log of a CI service, and annotations for
 * GitHub. Their modules are loaded before the first step, which may replace the tool's files.
 */
export async function createReporters(io: Io, run: ReportedRun, options: Options): Promise<Reporter[]> {
  const { switches } = options;
  const service = switches.has('no-ci') ? undefined : serviceOf(io);
  const isPlain = switches.has('debug') || switches.has('quiet');
  const style = isPlain ? undefined : styleOf(io, service);
  const main =
    style === undefined
      ? plainReporter(io, run, options)
      : (await import('./progress.ts')).progressReporter(io, style, run);
  if (service !== 'github') return [main];
  return [main, (await import('./github.ts')).githubReporter(io, run)];
}

/**
 * The style of progress, or undefined for plain lines. `FORCE_COLOR` (https://force-color.org) overrides everything, as
 * in Node; `NO_COLOR` (https://no-color.org) removes only the colours.
 */
function styleOf({ env, stderr }: Io, service: Service | undefined): Style | undefined {
  const mode = colourMode(env);
  const isInteractive = mode === 'forced' || (isOff(env, 'CI') && env['TERM'] !== 'dumb' && isatty(stderr));
  if (!isInteractive) return service && { colour: false, signs: false, service, columns: undefined };
  // The Linux console has no glyphs for the signs.
  return { colour: mode !== 'off', signs: env['TERM'] !== 'linux', service, columns: terminalColumns(stderr) };
}
