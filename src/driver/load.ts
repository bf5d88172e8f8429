import type { Source } from '../frontend/diagnostics/source.ts';
import type { ParsedFile } from '../frontend/parse.ts';
import { mentionsSecret } from '../ir/secrets.ts';
import type { Options } from '../command_line/parse.ts';
import { readWorkflow } from './include/read_workflow.ts';
import type { FileDiagnostics } from './diagnostics.ts';
import { printStderr, type Io } from '../output/io.ts';
import { readAny, type FileBytes } from './read_file.ts';
import { redactPath } from '../command_line/redact.ts';

/**
 * A parsed file and its source text. The file need not be valid. `startDirectory` is the path from the current
 * directory back to the initial one; '' if they are the same.
 */
export type LoadedFile = ParsedFile & { readonly source: Source; readonly startDirectory: string };

/**
 * Reads and checks a workflow file. If the default file is missing, changes to the parent directory that contains one.
 * Returns undefined after printing an error if no file can be read.
 */
export async function load(io: Io, options: Options): Promise<LoadedFile | undefined> {
  if (!hasWorkingDirectory()) return printStderr(io, ['the current directory no longer exists'], 'cli: ');
  const path = options.file;
  let file = readAny(path, io.stdin);
  let startDirectory: string | undefined = '';
  if (isMissing(file) && !options.values.has('file')) {
    startDirectory = (await import('./find_file.ts')).enterDirectoryOfFile(io, options);
    if (startDirectory === undefined) return undefined;
    file = readAny(path, io.stdin);
  }
  const source = { path: path === '-' ? '<stdin>' : path, isSecret: mentionsSecret };
  if (!file.ok) return printStderr(io, [`cannot read ${redactPath(source.path)}: ${file.problem}`], 'cli: ');
  const parsed = await readWorkflow(file.bytes, path);
  return { ...parsed, source: { ...source, ...parsed }, startDirectory };
}

function isMissing(file: FileBytes): boolean {
  return !file.ok && file.problem.startsWith('ENOENT');
}

/**
 * Prints all errors and warnings of a file. On GitHub Actions, also writes annotations for them, unless `--no-ci` is
 * given.
 */
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

/** Whether there are diagnostics to render. The renderer is loaded only then. */
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
