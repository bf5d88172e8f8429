import { existsSync, statSync } from 'node:fs';
import type { Options } from '../../command_line/parse_command_line.ts';
import type { WorkflowFile } from '../../../frontend/ast.ts';
import type { ComparedWorkflow } from '../../../ir/compare/compare_workflows.ts';
import type { Variable } from '../../../ir/plan.ts';
import { compileWorkflow } from '../compile_workflow.ts';
import { mentionsSecret } from '../../../ir/secret_names.ts';
import type { Io } from '../../output/io.ts';
import { fileErrors, type Message, type Reported } from '../../output/messages/message.ts';
import { failure, type Result } from '../../../base/result.ts';
import type { Source } from '../../../frontend/diagnostics/source.ts';
import { foreignTo } from '../include/foreign_files.ts';
import { readWorkflow } from '../include/read_workflow.ts';
import { relative, resolve } from 'node:path';
import { readGit } from '../../../backend/system/git.ts';
import type { ProgramOutput } from '../../../backend/system/run_program.ts';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { createRedactor } from '../../command_line/redact.ts';
import type { IncludeFiles } from '../include/load_includes.ts';
import { readAny, readWorkflowFile, type FileBytes } from '../read_file.ts';

/** A valid workflow file on one side of a comparison; `file` is undefined if the revision does not have it. */
export type LoadedSide = Readonly<{
  name: string;
  path: string;
  file: WorkflowFile | undefined;
  source: Source | undefined;
}>;

/** The two sides of a comparison. */
export type Sides = Readonly<{ before: LoadedSide; after: LoadedSide }>;

const REVISION = 'HEAD';

/** Loads the sides that the command line names. */
export async function loadSides(io: Io, options: Options): Promise<Reported<Sides>> {
  const { file, isFileNamed, from = REVISION, to } = options;
  const start = process.cwd();
  const isSearched = !isFileNamed && !existsSync(file);
  const entered = isSearched ? (await import('../find_file.ts')).enterDirectoryOfFile(io) : undefined;
  if (entered?.ok === false) return entered;
  const messages = entered === undefined ? [] : [entered.value.message];
  const read = [
    readNamedSide(from, start, file),
    to === undefined ? readWorkingFile(options, io.stdin) : readNamedSide(to, start, file),
  ] as const;
  if (!read[0].ok || !read[1].ok) return { ...failure(...problemsOf(read)), messages };
  const loaded = [await parseSide(from, read[0].value), await parseSide(to ?? shownPath(file), read[1].value)] as const;
  if (!loaded[0].ok || !loaded[1].ok) return { ...failure(...problemsOf(loaded)), messages };
  const [{ value: before }, { value: after }] = loaded;
  if (before.file !== undefined || after.file !== undefined) return { ok: true, value: { before, after }, messages };
  return { ...failure(`neither ${before.path} nor ${after.path} exists`), messages };
}

/** The problems of both sides. */
export function problemsOf<Problem>(results: readonly Result<unknown, Problem>[]): readonly Problem[] {
  return results.flatMap((each) => (each.ok ? [] : each.problems));
}

function shownPath(path: string): string {
  return path === '-' ? '<stdin>' : path;
}

/** Parses the file of a side. `name` is that of the side. */
export async function parseSide(
  name: string,
  { path: given, bytes, revision }: Side,
): Promise<Result<LoadedSide, Message>> {
  const shownAs = (each: string): string => (revision === undefined ? each : `${revision.name}:${each}`);
  const path = shownAs(shownPath(given));
  if (bytes === undefined) return { ok: true, value: { name, path, file: undefined, source: undefined } };
  const { file, errors, kind, ...parsed } = await readWorkflow(bytes, given, revision);
  const included = parsed.included.map((each) => ({ ...each, path: shownAs(each.path) }));
  const isForeign = revision === undefined ? foreignTo(given) : () => false;
  const source = { isSecret: mentionsSecret, isForeign, ...parsed, path, included };
  if (kind === 'valid' && errors.items.length === 0) return { ok: true, value: { name, path, file, source } };
  return fileErrors(source, errors);
}

/** A workflow of one side and its plan; undefined if that side does not have it. */
export async function compileSide(
  { path, file, source }: LoadedSide,
  name: string,
  params: readonly Variable[],
): Promise<Result<ComparedWorkflow | undefined, Message>> {
  const workflow = file?.workflows.get(name);
  if (file === undefined || source === undefined || workflow === undefined) return { ok: true, value: undefined };
  const compiled = await compileWorkflow({ file, source, workflow: name, params, where: `${path}: ` });
  return compiled.ok ? { ok: true, value: { workflow, plan: compiled.value } } : compiled;
}

/**
 * The text of a workflow file on one side of a comparison; no bytes if the revision does not have the file. `path` leads
 * to it from the current directory. `revision` has the files of a revision, undefined for those of the file system.
 */
type Side = Readonly<{ path: string; bytes: Buffer | undefined; revision: RevisionFiles | undefined }>;

/** The files of a revision, and its name. */
type RevisionFiles = IncludeFiles & Readonly<{ name: string }>;

/** Reads the workflow file of the working tree; `-` is the descriptor `stdin`. */
function readWorkingFile(options: Pick<Options, 'file' | 'isFileNamed' | 'isFound'>, stdin: number): Result<Side> {
  return sideOf(options.file, options.file, readWorkflowFile(options, stdin));
}

/**
 * Reads what a word names: a file, or the workflow file `path` in a revision of the repository. A file wins. `start` is
 * the directory that relative files are in.
 */
function readNamedSide(word: string, start: string, path: string): Result<Side> {
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
