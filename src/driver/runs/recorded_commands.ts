import type { RecordedRun } from '../../journal/journal.ts';
import type { StartRecord } from '../../journal/record.ts';
import { commandPath, labelOf } from '../../ir/steps/command_path.ts';
import { failure, type Result } from '../../result.ts';

/** A command of a recorded run. `n` is its number in the session, `path` the path of names of its step. */
export type RecordedCommand = Readonly<{ session: number; n: number; name: string; path: string }>;

/** All commands of a run in the order of their starts. */
export function recordedCommands({ sessions }: RecordedRun): readonly RecordedCommand[] {
  return sessions.flatMap(({ header, records }) =>
    records.flatMap((record) => (record.kind === 'start' ? [commandOf(record, header.session)] : [])),
  );
}

/** The command of a start record. */
export function commandOf({ id, n, name, what }: StartRecord, session: number): RecordedCommand {
  const own = what === 'condition' ? labelOf(id.at(-2) ?? '') : name;
  return { session, n, name: own, path: commandPath(id, what, name) };
}

/** Finds commands by the name or path of their step. The path of a call selects all its steps. */
export function selectCommands(
  run: string,
  commands: readonly RecordedCommand[],
  text: string | undefined,
): Result<readonly RecordedCommand[]> {
  if (text === undefined) return { ok: true, value: commands };
  const named = commands.filter(({ name }) => name === text);
  const paths = new Set(named.map(({ path }) => path));
  if (paths.size > 1) {
    return failure(`run ${run} has several steps '${text}': ${[...paths].join(', ')}`);
  }
  const found = commands.filter(({ name, path }) => name === text || path === text || path.startsWith(`${text}/`));
  if (found.length > 0) return { ok: true, value: found };
  const all = [...new Set(commands.map(({ path }) => path))].join(', ');
  return failure(`run ${run} has started no step '${text}'; it has started: ${all}`);
}
