import { existsSync } from 'node:fs';
import type { Options } from '../../command_line/parse.ts';
import { DiagnosticList } from '../../frontend/diagnostics/diagnostic.ts';
import type { WorkflowFile } from '../../frontend/ast.ts';
import { mentionsSecret } from '../../ir/secrets.ts';
import { printStderr, type Io } from '../../output/io.ts';
import { sayDiagnostics } from '../diagnostics.ts';
import type { Source } from '../../frontend/diagnostics/source.ts';
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

/** Loads the sides that the command line names. Undefined after an error, which has been printed. */
export async function loadSides(io: Io, options: Options): Promise<Sides | undefined> {
  const start = process.cwd();
  const [from = REVISION, to] = [options.values.get('from'), options.values.get('to')];
  if (!options.values.has('file') && !existsSync(options.file)) {
    const { enterDirectoryOfFile } = await import('../find_file.ts');
    if (enterDirectoryOfFile(io, options) === undefined) return undefined;
  }
  const read = [
    readNamedSide(from, start, options.file),
    to === undefined ? readWorkingFile(options.file, io.stdin) : readNamedSide(to, start, options.file),
  ] as const;
  const problems = read.flatMap((each) => (each.ok ? [] : each.problem));
  if (!read[0].ok || !read[1].ok) return printStderr(io, problems, 'cli: ');
  const [before, after] = [
    await parse(io, from, read[0].side),
    await parse(io, to ?? shownPath(options.file), read[1].side),
  ];
  if (before === undefined || after === undefined) return undefined;
  if (before.file !== undefined || after.file !== undefined) return { before, after };
  return printStderr(io, [`neither ${before.path} nor ${after.path} exists`], 'cli: ');
}

function shownPath(path: string): string {
  return path === '-' ? '<stdin>' : path;
}

async function parse(io: Io, name: string, { path: given, bytes, revision }: Side): Promise<LoadedSide | undefined> {
  const shownAs = (each: string): string => (revision === undefined ? each : `${revision.name}:${each}`);
  const path = shownAs(shownPath(given));
  if (bytes === undefined) return { name, path, file: undefined, source: undefined };
  const { file, errors, kind, ...parsed } = await readWorkflow(bytes, given, revision);
  const included = parsed.included.map((each) => ({ ...each, path: shownAs(each.path) }));
  const source = { isSecret: mentionsSecret, ...parsed, path, included };
  if (kind === 'valid' && errors.items.length === 0) return { name, path, file, source };
  sayDiagnostics(io, { source, errors, warnings: new DiagnosticList() });
  return undefined;
}
