import { relative } from 'node:path';
import { DiagnosticList } from '../../../frontend/diagnostics/diagnostic.ts';
import type { WorkflowFile } from '../../../frontend/ast.ts';
import type { Source } from '../../../frontend/diagnostics/source.ts';
import { dotenvFiles, dotenvPaths, link, type LookupProblem } from '../../../ir/link.ts';
import type { Plan, Variable } from '../../../ir/plan.ts';
import { listedSecrets } from '../../../ir/secret_names.ts';
import { hasChosenFile } from '../../../ir/needs_linking.ts';
import { redactPath } from '../../command_line/redact.ts';
import type { Io } from '../../output/io.ts';
import { fileErrors, type Message } from '../../output/messages/message.ts';
import type { IncludeFiles } from '../include/load_includes.ts';
import { mergeCopies } from '../include/merge_copies.ts';
import type { DotenvContent } from './dotenv.ts';

/**
 * A plan, linked as far as possible, the problems with dotenv files or with references without a value, and the warnings
 * about dotenv files.
 */
type LinkedPlan = Readonly<{ plan: Plan; problems: readonly Message[]; warnings: readonly Message[] }>;

/** Links the plan of a file to the process environment. `read` reads dotenv files, by default from the disk. */
export function linkPlan(
  io: Io,
  written: Plan,
  { file, source }: Readonly<{ file: WorkflowFile; source: Source }>,
  read?: IncludeFiles['read'],
): Promise<LinkedPlan> {
  const describe = async (problems: readonly LookupProblem[]): Promise<readonly Message[]> => {
    const errors = new DiagnosticList();
    (await import('./unlinked.ts')).addUnlinked(errors, file, problems);
    return fileErrors(source, mergeCopies(errors, source.included)).problems;
  };
  return linkAnyPlan(io, written, describe, read);
}

/** Links a plan to the process environment. `describe` words the references without a value. */
export async function linkAnyPlan(
  { env }: Io,
  written: Plan,
  describe: (problems: readonly LookupProblem[]) => Promise<readonly Message[]>,
  read?: IncludeFiles['read'],
): Promise<LinkedPlan> {
  const contents = new Map<string, DotenvContent>();
  for (const path of dotenvFiles(written, env))
    contents.set(path, (await import('./dotenv.ts')).readDotenv(path, read));
  const { dotenv, ignored } = withoutSecrets(written, contents);
  const lines = [...contents.values()].flatMap(({ problems }) => problems);
  const warned = [...ignored, ...pathsOutside(written, env)];
  const warnings: Message[] = warned.length === 0 ? [] : [{ kind: 'lines', prefix: 'cli: warning: ', lines: warned }];
  if (lines.length > 0) return { plan: written, problems: [{ kind: 'lines', prefix: 'cli: ', lines }], warnings };
  const { plan, problems } = link(written, { inherited: env, dotenv });
  return { plan, problems: problems.length === 0 ? [] : await describe(problems), warnings };
}

/** A message about each path of a dotenv file that a value leads out of the project. */
function pathsOutside(written: Plan, env: Io['env']): readonly string[] {
  if (!written.frames.some(hasChosenFile)) return [];
  const paths = dotenvPaths(written, env);
  const chosen = written.frames.flatMap(({ dotenv = [] }, frame) =>
    dotenv.flatMap(({ path: text, lookups }, index) =>
      lookups === undefined ? [] : [[text, paths[frame]?.[index] ?? text] as const],
    ),
  );
  const outside = chosen.filter(([, path]) => /^\.\.(?:[/\\]|$)/.test(relative('.', path)));
  return [
    ...new Set(
      outside.map(([text, path]) => `the dotenv file ${redactPath(path)} ('${text}') is outside of the project`),
    ),
  ];
}

/** The variables of dotenv files without the secrets of a plan, and a message about each entry that is not used. */
export function withoutSecrets(
  plan: Plan,
  contents: ReadonlyMap<string, DotenvContent>,
): Readonly<{ dotenv: ReadonlyMap<string, readonly Variable[]>; ignored: readonly string[] }> {
  const dotenv = new Map<string, readonly Variable[]>();
  const secrets = new Set(listedSecrets(plan));
  const ignored: string[] = [];
  for (const [path, { vars }] of contents) {
    const [own, left] = [vars.filter(([name]) => !secrets.has(name)), vars.filter(([name]) => secrets.has(name))];
    dotenv.set(path, own);
    for (const [name] of left) ignored.push(`'${name}' is a secret of the file, so its entry in ${path} is not used`);
  }
  return { dotenv, ignored };
}
