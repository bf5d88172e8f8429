import type { RecordedRun } from '../../../records/journal/journal.ts';
import { attemptsOf, type Attempt } from '../../../records/journal/fold_history.ts';
import { commandPath } from '../../../ir/steps/command_path.ts';
import { failure, type Result } from '../../../base/result.ts';

/** A command of a recorded run. `n` is its number in the session, `path` the path of names of its step, `end` its record. */
export type RecordedCommand = Readonly<{ session: number; n: number; name: string; path: string }> &
  Pick<Attempt, 'end'>;

/** All commands of a run in the order of their starts. */
export function recordedCommands({ sessions }: RecordedRun): readonly RecordedCommand[] {
  return sessions.flatMap(({ header, records }) =>
    attemptsOf(records).map((attempt) => commandOf(attempt, header.session)),
  );
}

/**
 * The paths of the commands of a run whose end was not recorded, by the variable (`NAME=value`) that marks their processes.
 * `isOfBackground`: only those of steps in the background.
 */
export function commandsInFlight({ sessions }: RecordedRun, isOfBackground = false): ReadonlyMap<string, string> {
  const inFlight = sessions.flatMap(({ header, records }) =>
    attemptsOf(records).flatMap(({ start, end }) => {
      if (end !== undefined || (isOfBackground && start.background !== true)) return [];
      return [[`${header.marker}=${start.n}`, commandOf({ start, end }, header.session).path] as const];
    }),
  );
  return new Map(inFlight);
}

function commandOf({ start, end }: Attempt, session: number): RecordedCommand {
  const path = commandPath({ ...start, kind: start.what });
  const name = start.what === 'condition' ? (path.at(-1) ?? '') : start.name;
  return { session, n: start.n, name, path: path.join('/'), end };
}

/**
 * Finds commands by the name or path of their step. The path of a call selects all its steps, and that of a step with a
 * matrix, without a combination, all copies.
 */
export function selectCommands(
  run: string,
  commands: readonly RecordedCommand[],
  text: string | undefined,
): Result<readonly RecordedCommand[]> {
  if (text === undefined) return { ok: true, value: commands };
  const isCopy = (name: string): boolean => name === text || name.startsWith(`${text} (`);
  // A path such as `step_1` may also be the name of steps of calls.
  const found = commands.filter(({ path }) => isCopy(path) || path.startsWith(`${text}/`));
  if (found.length === 0) {
    found.push(...commands.filter(({ name }) => isCopy(name)));
    const steps = new Set(found.map(({ name, path }) => path.slice(0, path.length - name.length)));
    if (steps.size > 1) {
      const paths = new Set(found.map(({ path }) => path));
      return failure(`run ${run} has several steps '${text}': ${[...paths].join(', ')}`);
    }
  }
  if (found.length > 0) return { ok: true, value: found };
  const all = [...new Set(commands.map(({ path }) => path))].join(', ');
  return failure(`run ${run} has started no step '${text}'; it has started: ${all}`);
}
