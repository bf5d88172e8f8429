import { DiagnosticList } from '../../frontend/diagnostics/diagnostic.ts';
import type { WorkflowFile } from '../../frontend/ast.ts';
import type { Source } from '../../frontend/diagnostics/source.ts';
import { dotenvFiles, link, type LookupProblem } from '../../ir/link.ts';
import type { Plan, Variable } from '../../ir/plan.ts';
import type { Io } from '../../output/io.ts';
import { fileErrors, type Message } from '../../output/messages/message.ts';
import { mergeCopies } from '../include/merge_copies.ts';

/** A plan, linked as far as possible, and the problems with dotenv files or with references without a value. */
type LinkedPlan = Readonly<{ plan: Plan; problems: readonly Message[] }>;

/** Links the plan of a file to the process environment. */
export function linkPlan(
  io: Io,
  written: Plan,
  { file, source }: Readonly<{ file: WorkflowFile; source: Source }>,
): Promise<LinkedPlan> {
  return linkAnyPlan(io, written, async (problems) => {
    const errors = new DiagnosticList();
    (await import('./unlinked.ts')).addUnlinked(errors, file, problems);
    return fileErrors(source, mergeCopies(errors, source.included)).problems;
  });
}

/** Links a plan to the process environment. `describe` words the references without a value. */
export async function linkAnyPlan(
  { env }: Io,
  written: Plan,
  describe: (problems: readonly LookupProblem[]) => Promise<readonly Message[]>,
): Promise<LinkedPlan> {
  const dotenv = new Map<string, readonly Variable[]>();
  const lines: string[] = [];
  for (const path of dotenvFiles(written)) {
    const { vars, problems } = (await import('./dotenv.ts')).readDotenv(path);
    dotenv.set(path, vars);
    for (const problem of problems) lines.push(problem);
  }
  if (lines.length > 0) return { plan: written, problems: [{ kind: 'lines', prefix: 'cli: ', lines }] };
  const { plan, problems } = link(written, { inherited: env, dotenv });
  return { plan, problems: problems.length === 0 ? [] : await describe(problems) };
}
