import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RARE_FIELDS } from '../../src/frontend/check/rare_fields.ts';
import { declaredSecrets } from '../../src/frontend/lint/scopes.ts';
import { SecretTable } from '../../src/ir/compile/secret_table.ts';
import { SECRET_CHECKERS } from '../../src/frontend/check/secrets/secret_checkers.ts';
import { REFERENCE_PARSER } from '../../src/frontend/references/reference_parser.ts';
import { readRegular, type FileBytes } from '../../src/cli/driver/read_file.ts';
import { readDotenv } from '../../src/cli/driver/variables/dotenv.ts';
import { readWorkflow } from '../../src/cli/driver/include/read_workflow.ts';
import { findProblem } from '../../src/frontend/syntax/json_problems.ts';
import { parseWorkflowFile, type ParsedFile } from '../../src/frontend/parse.ts';
import { compile } from '../../src/ir/compile.ts';
import type { Inherited } from '../../src/ir/environment.ts';
import { dotenvFiles, link } from '../../src/ir/link.ts';
import type { Plan, Variable } from '../../src/ir/plan.ts';
import { argvOf, type Case } from './goldens/goldens.ts';

/** All parts of the checker. */
export const CHECKER_PARTS = { references: REFERENCE_PARSER, rare: RARE_FIELDS, secrets: SECRET_CHECKERS, findProblem };

/** The plan of a workflow in the text of a valid file. */
export function compiled(text: string, workflow: string, params: readonly Variable[] = []): Plan {
  return planIn(parseWorkflowFile(Buffer.from(text), CHECKER_PARTS), workflow, params);
}

function planIn(parsed: ParsedFile, workflow: string, params: readonly Variable[]): Plan {
  assert.ok(parsed.kind === 'valid', 'the file is invalid');
  const secrets = declaredSecrets(parsed.file).length === 0 ? null : new SecretTable(parsed.file);
  const result = compile(parsed.file, workflow, params, secrets);
  assert.ok(result.kind === 'plan', 'the plan is too large, or a reference is unresolved');
  return result.plan;
}

/** The plan of a golden case. */
export async function planOf(given: Case): Promise<Plan> {
  const [workflow = '', ...words] = argvOf(given);
  const params = words.map((word): Variable => {
    const colon = word.indexOf(':');
    return [word.slice(0, colon), word.slice(colon + 1)];
  });
  const path = join(given.directory, given.file);
  return planIn(await readWorkflow(readFileSync(path), path), workflow, params);
}

/** A plan as it is linked, and as it is written. */
type LinkedPlan = Readonly<{ plan: Plan; written: Plan }>;

/** The plan of a golden case, linked to its dotenv files and an environment. */
export async function linkedPlanOf(given: Case, inherited: Inherited): Promise<LinkedPlan> {
  const written = await planOf(given);
  const read = (path: string): FileBytes => readRegular(join(given.directory, path));
  const dotenv = new Map(dotenvFiles(written, inherited).map((path) => [path, readDotenv(path, read).vars]));
  const { plan, problems } = link(written, { inherited, dotenv });
  assert.deepEqual(problems, []);
  return { plan, written };
}
