import { unknownWorkflow } from '../cli/driver/unknown_workflow.ts';
import { readDotenv, type DotenvContent } from '../cli/driver/variables/dotenv.ts';
import { withoutSecrets } from '../cli/driver/variables/link_plan.ts';
import { describeUnused, refusedParams, unusedParams } from '../cli/driver/variables/param_warnings.ts';
import { addUnlinked, addUnresolved } from '../cli/driver/variables/unlinked.ts';
import { mergeCopies } from '../cli/driver/include/merge_copies.ts';
import type { LoadedFile } from '../cli/driver/load.ts';
import { workflowNamed } from '../cli/command_line/choose_workflow.ts';
import { DiagnosticList, redactKey } from '../frontend/diagnostics/diagnostic.ts';
import { didYouMean } from '../frontend/diagnostics/suggest.ts';
import { tooLarge, tooMuchText } from '../frontend/diagnostics/too_large.ts';
import { brokenRule, VariableName } from '../frontend/schema/schema.ts';
import { ruleMessage } from '../frontend/schema/rules.ts';
import type { WorkflowFile } from '../frontend/ast.ts';
import { declaredSecrets } from '../frontend/lint/scopes.ts';
import { compile, type CompileResult } from '../ir/compile.ts';
import { SecretTable } from '../ir/compile/secret_table.ts';
import { dotenvFiles, link } from '../ir/link.ts';
import { operationsText, OPERATION_LIMIT } from '../ir/plan_size.ts';
import { maskValue, secretNames } from '../ir/secret_names.ts';
import { planFile } from '../ir/views/plan_file.ts';
import type * as ir from '../ir/plan.ts';
import { includeFiles } from './files.ts';
import { placed, wholeFile, diagnosticsOf } from './diagnostics.ts';
import type { LoadedProject } from './projects.ts';
import type { Diagnostic, Files, Plan, Result } from './types.ts';

/** A plan before and after it is linked, and its file. */
export type KnownPlan = Readonly<{ written: ir.Plan; linked: ir.Plan; file: WorkflowFile; loaded: LoadedFile }>;

const known = new WeakMap<object, KnownPlan>();

/** The origin of a plan. */
export function knownPlan(plan: unknown): KnownPlan {
  const found = typeof plan === 'object' && plan !== null ? known.get(plan) : undefined;
  if (found === undefined) throw new TypeError('plan must be the result of compile or link');
  return found;
}

function remember(found: KnownPlan): Result {
  const plan = Object.freeze({ workflow: found.written.workflow });
  known.set(plan, found);
  if (!isKnown(plan)) throw new Error('the plan is not remembered');
  return { ok: true, plan };
}

/** The mark of a plan exists only in its type. */
function isKnown(plan: object): plan is Plan {
  return known.has(plan);
}

function failed(diagnostics: readonly Diagnostic[]): Result {
  return { ok: false, diagnostics };
}

/** Compiles a workflow, which may be named by an alias. */
export function compileProject(
  project: LoadedProject,
  named: string,
  params: Readonly<Record<string, string>>,
): Result {
  const errors = (): Result =>
    failed(
      diagnosticsOf(project, { strict: false, portable: false }).flatMap(({ diagnostic }) =>
        diagnostic.severity === 'error' ? diagnostic : [],
      ),
    );
  if (project.kind === 'unreadable') return errors();
  const { loaded } = project;
  const { file, source } = loaded;
  if (loaded.kind !== 'valid' || loaded.errors.items.length > 0 || file === undefined) return errors();
  const workflow = workflowNamed(file, named);
  if (workflow === undefined) {
    const [message = ''] = unknownWorkflow(named, file, source.path, [named]);
    return failed([wholeFile(source.path, 'unknown-workflow', message)]);
  }
  const wrong = Object.keys(params).flatMap((key) => {
    const rule = brokenRule(VariableName, key);
    return rule === undefined ? [] : `the key of the parameter '${redactKey(key)}' ${ruleMessage(rule, '')}`;
  });
  if (wrong.length > 0) return failed(wrong.map((message) => wholeFile(source.path, 'bad-parameter', message)));
  const secrets = declaredSecrets(file).length === 0 ? null : new SecretTable(file);
  const result = compile(file, workflow, Object.entries(params), secrets);
  if (result.kind !== 'plan') return failed(compileErrors(result, workflow, loaded));
  const written = result.plan;
  const refused = refusedParams(written).concat(unknownParams(written, file));
  if (refused.length > 0) return failed(refused.map((message) => wholeFile(source.path, 'bad-parameter', message)));
  return remember({ written, linked: written, file, loaded });
}

/** Parameters that a workflow with inputs neither declares nor mentions. */
function unknownParams(plan: ir.Plan, file: WorkflowFile): readonly string[] {
  const unused = plan.calls[0]?.inputs === undefined ? undefined : unusedParams(plan, file);
  return unused === undefined ? [] : describeUnused(plan, unused, didYouMean);
}

function compileErrors(
  result: Exclude<CompileResult, { kind: 'plan' }>,
  workflow: string,
  { source, included }: LoadedFile,
): readonly Diagnostic[] {
  if (result.kind === 'too large') {
    const message = `workflow '${workflow}': ${tooLarge(operationsText(result.operations), OPERATION_LIMIT)}`;
    return [wholeFile(source.path, 'too-large', message)];
  }
  const found = new DiagnosticList();
  if (result.kind === 'too much text') found.add(tooMuchText(result.excess));
  else addUnresolved(found, workflow, false, result.unresolved);
  return mergeCopies(found, included).items.map((item) => placed(item, source));
}

/** Links a plan to an environment, and to the dotenv files that it names. */
export function linkKnown(
  { written, file, loaded }: KnownPlan,
  env: Readonly<Record<string, string | undefined>>,
  files: Files | undefined,
): Result {
  const contents = new Map<string, DotenvContent>();
  const { read } = includeFiles(files);
  for (const path of files === undefined ? [] : dotenvFiles(written, env)) contents.set(path, readDotenv(path, read));
  const problems = [...contents].flatMap(([path, content]) =>
    content.problems.map((each) => dotenvProblem(path, each)),
  );
  if (problems.length > 0) return failed(problems);
  const { dotenv } = withoutSecrets(written, contents);
  const { plan: linked, problems: unlinked } = link(written, { inherited: env, dotenv });
  if (unlinked.length === 0) return remember({ written, linked, file, loaded });
  const errors = new DiagnosticList();
  addUnlinked(errors, file, unlinked);
  return failed(mergeCopies(errors, loaded.included).items.map((item) => placed(item, loaded.source)));
}

/** The diagnostic of a problem with a dotenv file, whose text may begin with the path and the line. */
function dotenvProblem(path: string, problem: string): Diagnostic {
  const [, line, message] = /^.*?:(\d+): (.*)$/s.exec(problem) ?? [];
  if (line === undefined || message === undefined) return wholeFile(path, 'unreadable-file', problem);
  return wholeFile(path, 'bad-dotenv', message, Number(line));
}

/** The lines of a plan file. Values of secret parameters are masked. */
export function planLines({ written }: KnownPlan): readonly string[] {
  const isSecretName = secretNames(written);
  const params = written.params.map(([name, value]) => [name, maskValue(isSecretName, name, value)] as const);
  return [...planFile({ ...written, params })];
}
