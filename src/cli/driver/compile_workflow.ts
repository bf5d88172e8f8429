import { DiagnosticList } from '../../frontend/diagnostics/diagnostic.ts';
import type { WorkflowFile } from '../../frontend/ast.ts';
import type { Source } from '../../frontend/diagnostics/source.ts';
import { declaredSecrets } from '../../frontend/lint/scopes.ts';
import { tooLarge, tooMuchText } from '../../frontend/diagnostics/too_large.ts';
import { compile } from '../../ir/compile.ts';
import type { Plan, Variable } from '../../ir/plan.ts';
import { operationsText, OPERATION_LIMIT } from '../../ir/plan_size.ts';
import { fileErrors, type Message } from '../output/messages/message.ts';
import { failure, type Result } from '../../base/result.ts';
import { mergeCopies } from './include/merge_copies.ts';

/** A workflow of a valid file to compile, with parameters. The message about its size begins with `where`. */
type Compiled = Readonly<{ file: WorkflowFile; source: Source; workflow: string; params: readonly Variable[] }> &
  Readonly<{ where?: string }>;

/** The plan of a workflow. Fails if a reference has no output, or if it would be too large. */
export async function compileWorkflow(compiled: Compiled): Promise<Result<Plan, Message>> {
  const { file, source, workflow, params, where = '' } = compiled;
  const secrets =
    declaredSecrets(file).length === 0
      ? null
      : new (await import('../../ir/compile/secret_table.ts')).SecretTable(file);
  const result = compile(file, workflow, params, secrets);
  if (result.kind === 'plan') return { ok: true, value: result.plan };
  if (result.kind === 'too large') {
    const message = tooLarge(operationsText(result.operations), OPERATION_LIMIT);
    return failure(`${where}workflow '${workflow}': ${message}`);
  }
  const found = new DiagnosticList();
  if (result.kind === 'too much text') found.add(tooMuchText(result.excess));
  else (await import('./variables/unlinked.ts')).addUnresolved(found, workflow, false, result.unresolved);
  return fileErrors(source, mergeCopies(found, source.included));
}
