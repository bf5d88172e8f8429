import type { Options } from '../command_line/parse_command_line.ts';
import { flagValues } from '../command_line/flag_values.ts';
import { NO_OPTIONS } from '../driver/flag_words.ts';
import type { Prepared } from '../driver/prepare_run.ts';
import { placesOf, type PreparedFile } from './plan_places.ts';
import type { PushedCommit } from './pushed_commit.ts';
import type { RunMessage } from './run_channel.ts';

/**
 * A run as it is sent to another machine. `path` is the workflow file's. `places` maps each offset of the plan to its
 * file, line and column. `switches` and `format` come from the command line. A run with a commit executes in a
 * checkout of it, any other in the directory of the worker.
 */
export type RemoteRun = Readonly<RunMessage['run']>;

/** The switches that change what a run does or prints. */
const SWITCHES = ['strict', 'quiet', 'pretty', 'debug', 'yes'] as const;

/** Packs a prepared run for another machine, with the commit to check out if there is one. */
export function packRun(prepared: PreparedFile, options: Options, pushed: PushedCommit | undefined): RemoteRun {
  const { written, path } = prepared;
  return {
    plan: written,
    path,
    places: placesOf(prepared),
    switches: SWITCHES.filter((name) => options[name]),
    format: options.format ?? 'json',
    ...pushed,
  };
}

/** Looks up the position of an offset in a file on another machine. */
export function positionIn({ path, places }: RemoteRun): Prepared['position'] {
  const known = new Map(places.map(([offset, file, line, column]) => [offset, { file, line, column }]));
  return (offset) => known.get(offset) ?? { file: path, line: 1, column: 1 };
}

/** The options of a run from another machine. It has no terminal, and its output uses no CI format. */
export function optionsOf({ path, switches, format }: RemoteRun): Options {
  const given = SWITCHES.filter((name) => switches.includes(name)).map((name) => [name, true] as const);
  // The worker stores all output.
  const flags = flagValues({ 'no-logs': true, 'no-ci': true, format, ...Object.fromEntries(given) });
  return { ...NO_OPTIONS, ...flags, file: path };
}
