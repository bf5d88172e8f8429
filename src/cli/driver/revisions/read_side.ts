import { statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { readGit } from '../../../backend/system/git.ts';
import type { ProgramOutput } from '../../../backend/system/run_program.ts';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { createRedactor } from '../../command_line/redact.ts';
import type { IncludeFiles } from '../include/load_includes.ts';
import { failure, type Result } from '../../../base/result.ts';
import { readAny, readWorkflowFile, type FileBytes } from '../read_file.ts';

/**
 * The text of a workflow file on one side of a comparison; no bytes if the revision does not have the file. `path` leads
 * to it from the current directory. `revision` has the files of a revision, undefined for those of the file system.
 */
export type Side = Readonly<{ path: string; bytes: Buffer | undefined; revision: RevisionFiles | undefined }>;

/** The files of a revision, and its name. */
export type RevisionFiles = IncludeFiles & Readonly<{ name: string }>;

/** Reads the workflow file of the working tree; `-` is the descriptor `stdin`. */
export function readWorkingFile(
  options: Pick<Options, 'file' | 'isFileNamed' | 'isFound'>,
  stdin: number,
): Result<Side> {
  return sideOf(options.file, options.file, readWorkflowFile(options, stdin));
}

/**
 * Reads what a word names: a file, or the workflow file `path` in a revision of the repository. A file wins. `start` is
 * the directory that relative files are in.
 */
export function readNamedSide(word: string, start: string, path: string): Result<Side> {
  const quoted = createRedactor([word])(word);
  if (word.startsWith('-')) return failure(`${quoted} is neither a file nor a revision`);
  const file = resolve(start, word);
  const stats = trySystemCall(() => statSync(file));
  if (typeof stats !== 'string' && !stats.isDirectory())
    return sideOf(relative(process.cwd(), file), word, readAny(file, -1));
  if (path === '-') return failure(`standard input has no revision ${quoted}`);
  return readRevision(word, quoted, path);
}

function sideOf(path: string, shown: string, read: FileBytes): Result<Side> {
  if (read.ok) return { ok: true, value: { path, bytes: read.value, revision: undefined } };
  return failure(`cannot read ${shown === '-' ? '<stdin>' : shown}: ${read.problems.join('; ')}`);
}

function readRevision(name: string, quoted: string, path: string): Result<Side> {
  const verified = readGit('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{tree}`);
  const problem = problemOf(verified);
  if (problem !== undefined) {
    return failure(`${quoted} is neither a file nor a revision${problem === '' ? '' : `: ${problem}`}`);
  }
  // The id of the tree: a revision may hold a colon, and a branch may move.
  const tree = verified.ok ? verified.value.stdout.trim() : '';
  // Git takes a path that begins with a dot relative to the current directory.
  const objectOf = (each: string): string => `${tree}:./${relative(process.cwd(), resolve(each))}`;
  const read = (each: string): FileBytes => {
    const shown = readGit('cat-file', 'blob', objectOf(each));
    const problem = problemOf(shown);
    if (!shown.ok || problem !== undefined) return failure(problem ?? '');
    return { ok: true, value: Buffer.from(shown.value.stdout) };
  };
  const revision = { name, read, realPath: (each: string): string => resolve(each) };
  const isThere = problemOf(readGit('rev-parse', '--verify', '--quiet', objectOf(path))) === undefined;
  if (!isThere) return { ok: true, value: { path, bytes: undefined, revision } };
  const bytes = read(path);
  if (bytes.ok) return { ok: true, value: { path, bytes: bytes.value, revision } };
  return failure(`cannot read ${name}:${path}: ${bytes.problems.join('; ')}`);
}

/** The first line of a failed program's error output, '' if there is none; undefined if the program succeeded. */
function problemOf(output: ProgramOutput): string | undefined {
  if (!output.ok) return output.problems.join('; ');
  return output.value.exitCode === 0 ? undefined : (output.value.stderr.trim().split('\n', 1)[0] ?? '');
}
