import type { Source } from '../frontend/diagnostics/code_frame.ts';
import { readWorkflowFile, type ParsedFile } from '../frontend/parse.ts';
import { mentionsSecret } from '../ir/mask.ts';
import type { Options } from '../command_line/parse.ts';
import type { FileDiagnostics } from './diagnostics.ts';
import { say, type Io } from '../output/io.ts';
import { terminalColumns } from '../output/terminal_width.ts';
import { readAny, type FileBytes } from './read_file.ts';
import { redactPath } from '../command_line/redact.ts';
import { DEFAULT_FILE } from '../command_line/default_file.ts';

/** A parsed file and its source text. The file need not be valid. */
export type LoadedFile = ParsedFile & { readonly source: Source };

/** Reads and checks a workflow file. Undefined if it cannot be read, after an error has been printed. */
export async function load(io: Io, path: string): Promise<LoadedFile | undefined> {
  if (!hasWorkingDirectory()) return say(io, ['the current directory no longer exists'], 'cli: ');
  const file = readAny(path, io.stdin);
  const source = { path: path === '-' ? '<stdin>' : path, isSecret: mentionsSecret };
  if (!file.ok)
    return say(io, [`cannot read ${redactPath(source.path)}: ${file.problem}`, ...hint(io, path, file)], 'cli: ');
  const parsed = await readWorkflowFile(file.bytes);
  return { ...parsed, source: { ...source, ...parsed } };
}

/** A hint for first use at a terminal: the default file is missing. */
function hint({ stderr }: Io, path: string, { problem }: FileBytes & { ok: false }): string[] {
  const isFirstUse = path === DEFAULT_FILE && problem.startsWith('ENOENT') && terminalColumns(stderr) !== undefined;
  return isFirstUse ? ['to create one: cli workflow init'] : [];
}

/** Prints all errors and warnings of a file, and on GitHub Actions annotations for them unless there is `--no-ci`. */
export async function printDiagnostics(
  io: Io,
  { switches }: Pick<Options, 'switches'>,
  found: FileDiagnostics,
): Promise<undefined> {
  if (!hasDiagnostics(found)) return;
  (await import('./diagnostics.ts')).sayDiagnostics(io, found);
  if (io.env['GITHUB_ACTIONS'] !== 'true' || switches.has('no-ci')) return;
  (await import('./annotate.ts')).annotateDiagnostics(io, found);
}

/** Whether there is anything to render; the renderer is loaded only then. */
export function hasDiagnostics({ errors, warnings }: FileDiagnostics): boolean {
  return errors.items.length + warnings.items.length > 0;
}

function hasWorkingDirectory(): boolean {
  try {
    return process.cwd() !== '';
  } catch {
    // Fails only if the directory has been deleted.
    return false;
  }
}
