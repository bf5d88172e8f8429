import { existsSync } from 'node:fs';
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
import { readNamedSide, readWorkingFile, type Side } from './read_side.ts';

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
