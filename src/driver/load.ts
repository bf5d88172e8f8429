import { closeSync, openSync, readSync } from 'node:fs';
import { whenReady } from '../backend/system/sleep.ts';
import { systemMessage } from '../backend/system/system_error.ts';
import type { Source } from '../frontend/diagnostics/code_frame.ts';
import { readWorkflowFile, type ParsedFile } from '../frontend/parse.ts';
import { isSecret } from '../ir/mask.ts';
import type { FileDiagnostics } from './diagnostics.ts';
import { say, type Io } from '../output/io.ts';
import { terminalColumns } from '../output/terminal_width.ts';
import { DEFAULT_FILE } from '../command_line/default_file.ts';

/** A file that could be read, whatever it holds. */
export type LoadedFile = ParsedFile & { readonly source: Source };

/** Reads and checks a workflow file. Undefined if it cannot be read: that has been said then. */
export async function load(io: Io, path: string): Promise<LoadedFile | undefined> {
  const noDirectory = 'the current directory does not exist any more; change to one that does';
  if (!hasWorkingDirectory()) return say(io, [noDirectory], 'cli: ');
  const file = readBytes(path, io.stdin);
  const source = { path: path === '-' ? '<stdin>' : path, isSecret };
  if (!file.ok) {
    // Somebody at a terminal may be new here.
    const isNew =
      path === DEFAULT_FILE && file.problem.startsWith('ENOENT') && terminalColumns(io.stderr) !== undefined;
    const hint = isNew ? ['to write one to begin with: cli workflow init'] : [];
    return say(io, [`cannot read ${source.path}: ${file.problem}`, ...hint], 'cli: ');
  }
  const parsed = await readWorkflowFile(file.bytes);
  return { ...parsed, source: { ...source, ...parsed } };
}

/** Says all that is wrong or odd in a file, with the places. */
export async function printDiagnostics(io: Io, found: FileDiagnostics): Promise<undefined> {
  if (hasDiagnostics(found))
    say(io, (await import('./diagnostics.ts')).renderDiagnostics(found, terminalColumns(io.stderr)));
}

/** Whether there is anything to say of a file. What says it is loaded only then. */
export function hasDiagnostics({ errors, warnings }: FileDiagnostics): boolean {
  return errors.items.length + warnings.items.length > 0;
}

/** A workflow file may have at most this many bytes. */
export const SIZE_LIMIT = 16 * 1024 * 1024;

/** `problem` completes the sentence "cannot read <path>: …". */
type FileBytes = Readonly<{ ok: true; bytes: Buffer } | { ok: false; problem: string }>;

/** Reads a whole file: anything that can be read and is not a directory; `-` is `stdin`. */
function readBytes(path: string, stdin: number): FileBytes {
  let opened: number | undefined;
  try {
    opened = path === '-' ? undefined : openSync(path, 'r');
    const descriptor = opened ?? stdin;
    // Pages that nothing is read into cost nothing, so one buffer serves files of every size.
    const buffer = Buffer.allocUnsafe(SIZE_LIMIT + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = whenReady(() => readSync(descriptor, buffer, length, buffer.length - length, null));
    }
    if (length === 0) return { ok: false, problem: 'it is empty' };
    if (length <= SIZE_LIMIT) return { ok: true, bytes: buffer.subarray(0, length) };
    return { ok: false, problem: `it has more than ${SIZE_LIMIT} bytes (16 MiB)` };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { ok: false, problem: systemMessage(error) };
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

function hasWorkingDirectory(): boolean {
  try {
    return process.cwd() !== '';
  } catch {
    // The only way for it to fail is that the directory is gone.
    return false;
  }
}
