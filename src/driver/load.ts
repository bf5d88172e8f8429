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

/** A parsed file and its source text. The file need not be valid. */
export type LoadedFile = ParsedFile & { readonly source: Source };

/** Reads and checks a workflow file. Undefined if it cannot be read, after an error has been printed. */
export async function load(io: Io, path: string): Promise<LoadedFile | undefined> {
  if (!hasWorkingDirectory()) return say(io, ['the current directory no longer exists'], 'cli: ');
  const file = readFileBytes(path, io.stdin);
  const source = { path: path === '-' ? '<stdin>' : path, isSecret };
  if (!file.ok) return say(io, [`cannot read ${source.path}: ${file.problem}`, ...hint(io, path, file)], 'cli: ');
  const parsed = await readWorkflowFile(file.bytes);
  return { ...parsed, source: { ...source, ...parsed } };
}

/** A hint for first use at a terminal: the default file is missing. */
function hint({ stderr }: Io, path: string, { problem }: FileBytes & { ok: false }): string[] {
  const isFirstUse = path === DEFAULT_FILE && problem.startsWith('ENOENT') && terminalColumns(stderr) !== undefined;
  return isFirstUse ? ['to create one: cli workflow init'] : [];
}

/** Prints all errors and warnings of a file. */
export async function printDiagnostics(io: Io, found: FileDiagnostics): Promise<undefined> {
  if (!hasDiagnostics(found)) return;
  const { renderDiagnostics } = await import('./diagnostics.ts');
  say(io, renderDiagnostics(found, terminalColumns(io.stderr)));
}

/** Whether there is anything to render; the renderer is loaded only then. */
export function hasDiagnostics({ errors, warnings }: FileDiagnostics): boolean {
  return errors.items.length + warnings.items.length > 0;
}

/** The most bytes of a file that is read. */
export const SIZE_LIMIT = 16 * 1024 * 1024;

/** The content of a file, or the problem that completes the sentence "cannot read <path>: …". */
type FileBytes = Readonly<{ ok: true; bytes: Buffer } | { ok: false; problem: string }>;

/** Reads a whole file, which may be a pipe or a device; `-` is the descriptor `stdin`. */
function readFileBytes(path: string, stdin: number): FileBytes {
  let opened: number | undefined;
  try {
    opened = path === '-' ? undefined : openSync(path, 'r');
    return readDescriptor(opened ?? stdin);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { ok: false, problem: systemMessage(error) };
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

function readDescriptor(descriptor: number): FileBytes {
  // One buffer for files of every size: untouched pages take no memory.
  const buffer = Buffer.allocUnsafe(SIZE_LIMIT + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < buffer.length; length += read) {
    read = whenReady(() => readSync(descriptor, buffer, length, buffer.length - length, null));
  }
  if (length === 0) return { ok: false, problem: 'it is empty' };
  if (length <= SIZE_LIMIT) return { ok: true, bytes: buffer.subarray(0, length) };
  return { ok: false, problem: `it has more than ${SIZE_LIMIT} bytes (16 MiB)` };
}

function hasWorkingDirectory(): boolean {
  try {
    return process.cwd() !== '';
  } catch {
    // Fails only if the directory has been deleted.
    return false;
  }
}
