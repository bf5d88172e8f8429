import { DiagnosticList } from '../../frontend/diagnostics/diagnostic.ts';
import type { WorkflowFile } from '../../frontend/ast.ts';
import { dotenvFiles, link } from '../../ir/link.ts';
import type { Plan, Variable } from '../../ir/plan.ts';
import type { Options } from '../../command_line/parse.ts';
import { printStderr, type Io } from '../../output/io.ts';
import { mergeCopies } from '../include/merge_copies.ts';
import { printDiagnostics, type LoadedFile } from '../load.ts';

/** Links a plan to the process environment. Prints the references to variables without a value. */
export async function linkPlan(
  io: Io,
  written: Plan,
  { file, source }: Readonly<{ file: WorkflowFile }> & Pick<LoadedFile, 'source'>,
  options: Options,
): Promise<Readonly<{ plan: Plan; isLinked: boolean }>> {
  const dotenv = await readDotenvFiles(io, dotenvFiles(written));
  if (dotenv === undefined) return { plan: written, isLinked: false };
  const { plan, problems } = link(written, { inherited: io.env, dotenv });
  if (problems.length === 0) return { plan, isLinked: true };
  const found = new DiagnosticList();
  (await import('./unlinked.ts')).addUnlinked(found, file, problems);
  const errors = mergeCopies(found, source.included);
  await printDiagnostics(io, options, { source, errors, warnings: new DiagnosticList() });
  return { plan, isLinked: false };
}

/** The variables of dotenv files; undefined after an error, which has been printed. */
export async function readDotenvFiles(
  io: Io,
  paths: readonly string[],
): Promise<ReadonlyMap<string, readonly Variable[]> | undefined> {
  const read = new Map<string, readonly Variable[]>();
  if (paths.length === 0) return read;
  const { readDotenv } = await import('./dotenv.ts');
  const found = paths.map((path) => ({ path, ...readDotenv(path) }));
  for (const { path, vars } of found) read.set(path, vars);
  const problems = found.flatMap((each) => each.problems);
  return problems.length === 0 ? read : printStderr(io, problems, 'cli: ');
}
