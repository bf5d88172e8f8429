import type { Options } from '../command_line/parse.ts';
import { load } from '../driver/load.ts';
import type { Io } from '../output/io.ts';
import { messageLines } from '../output/messages/message_lines.ts';
import { listEntry, type ListEntry } from '../output/workflow_table.ts';
import { failure, type Result } from '../result.ts';

/** The workflows that can be asked for, in file order. Works for files with invalid calls. */
export async function listedWorkflows(io: Io, options: Options): Promise<Result<readonly ListEntry[]>> {
  const loaded = await load(io, options);
  if (!loaded.ok) return failure(...loaded.problems.flatMap(messageLines));
  const { file } = loaded.value;
  if (file === undefined) return failure(...messageLines({ ...loaded.value, kind: 'diagnostics' }));
  return { ok: true, value: [...file.workflows].filter(([, each]) => !each.private).map(listEntry) };
}
