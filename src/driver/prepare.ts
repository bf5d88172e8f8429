import { DiagnosticList } from '../frontend/diagnostics/diagnostic.ts';
import { tooLarge } from '../frontend/diagnostics/too_large.ts';
import { positionsIn, type FilePosition, type Source } from '../frontend/diagnostics/source.ts';
import type { WorkflowFile } from '../frontend/ast.ts';
import { compile } from '../ir/compile.ts';
import { needsLinking } from '../ir/needs_linking.ts';
import type { Plan, Variable } from '../ir/plan.ts';
import { operationsText, OPERATION_LIMIT } from '../ir/plan_size.ts';
import type { Options } from '../command_line/parse.ts';
import { printStderr, type Io } from '../output/io.ts';
import { chooseWorkflow, type Chosen } from '../command_line/choose_workflow.ts';
import { load, printDiagnostics, type LoadedFile } from './load.ts';
import { mergeCopies } from './include/merge_copies.ts';
import { lint } from './lint.ts';
import { isParam, readParams } from '../command_line/params.ts';
import { addUnresolved } from './unresolved.ts';
import { checkInputs, checkNegativeValues } from './variables/check_values.ts';
import { matrixParams, paramWarnings, commandTextOf } from './variables/param_warnings.ts';

/**
 * What a plan is made for. Only for a run are inputs and conditions without a valid value errors. A plan that is exported or
 * submitted runs with another environment, and is not linked to this one.
 */
type Purpose = 'run' | 'submit' | 'explain' | 'graph' | 'export';

/**
 * A compiled plan, linked to the process environment; the path of its file, and a function from an offset in the file to
 * its position. For `startDirectory` see `LoadedFile`.
 */
export type Prepared = Readonly<{ plan: Plan; path: string; startDirectory: string }> &
  Readonly<{ position: (offset: number) => FilePosition }>;

/** `written` is the plan before it is linked, which is the same on every machine. */
export type PreparedRun = Prepared & Readonly<{ written: Plan }>;

/** A file without errors, its source text, and the workflow and parameters to compile. */
type ValidFile = Readonly<{ file: WorkflowFile; workflow: string; params: readonly Variable[] }> &
  Pick<LoadedFile, 'source' | 'startDirectory'>;

/** How to find the workflow: whether it defaults to the file's `default`, and the words of the command line. */
type Naming = Readonly<{ usesDefault: boolean; line: readonly string[] }>;

/**
 * Like `prepare`, but releases the file and its text: the more memory this process holds, the slower each step starts.
 */
export async function prepareRun(io: Io, options: Options): Promise<PreparedRun | undefined> {
  const prepared = await prepare(io, options, 'run');
  if (prepared === undefined) return undefined;
  const { plan, written, path, startDirectory, position } = prepared;
  return { plan, written, path, startDirectory, position };
}

/**
 * Reads the parameters and the file, and compiles the workflow, so that everything that can fail does so before the
 * first command. Returns undefined after printing an error. Problems with inputs and references are printed unless the
 * plan is only drawn. `line` contains the words of the command line.
 */
export async function prepare(
  io: Io,
  options: Options,
  purpose: Purpose,
  line = wordsOf(options),
): Promise<(PreparedRun & Readonly<{ file: WorkflowFile; source: Source; hasInputs: boolean }>) | undefined> {
  const [first, ...rest] = options.words;
  // The file decides whether a parameter in place of the name means the default workflow.
  const isNamed = first !== undefined && !isParam(first);
  const early = isNamed ? readParams(rest, line).problems : [];
  if (early.length > 0) return fail(io, early);
  const loaded = await loadValidFile(io, options, { usesDefault: purpose === 'run' || purpose === 'submit', line });
  if (loaded === undefined) return undefined;
  const written = await compileWorkflow(io, loaded, line, options);
  if (written === undefined || !checkParams(io, written, options)) return undefined;
  const isElsewhere = purpose === 'export' || purpose === 'submit';
  const { plan, isLinked } =
    isElsewhere || purpose === 'graph' || !needsLinking(written)
      ? { plan: written, isLinked: true }
      : await (await import('./variables/link_plan.ts')).linkPlan(io, written, loaded, options);
  if (!isLinked && purpose === 'run') return undefined;
  if (options.args.length > 0 && !plan.ops.some((op) => MENTIONS_ARGUMENTS.test(commandTextOf(op)))) {
    return fail(io, [
      `nothing in workflow '${plan.workflow}' mentions the arguments after '--'; write "$@" where they belong`,
    ]);
  }
  const hasInputs = isElsewhere || purpose === 'graph' || ((await checkInputs(io, plan, options)) && isLinked);
  if (!hasInputs && purpose === 'run') return undefined;
  const { file, source, startDirectory } = loaded;
  const position = positionsIn(source);
  const prepared = { plan, written, file, source, path: source.path, startDirectory, position, hasInputs };
  if (isElsewhere) return prepared;
  const severity = purpose === 'run' ? 'error' : 'warning';
  return (await checkNegativeValues(io, prepared, options, severity)) ? prepared : undefined;
}

/** `$@`, `$*`, `$#`, `$1` and the like, also in braces. */
const MENTIONS_ARGUMENTS = /\$(?:[@*#1-9]|\{!?(?:[@*]|[1-9]\d*(?!\w)|#(?:[}@*:]|[1-9])))/;

/** The words of a command line that may be secret names or values, see `createRedactor`. */
export function wordsOf({ values, words }: Options): string[] {
  return [...values.values(), ...words];
}

function fail(io: Io, problems: readonly string[]): undefined {
  return printStderr(io, problems, 'cli: ');
}

/**
 * Loads the file and prints its diagnostics, including those of a run of the requested workflow. Returns undefined if
 * there is an error.
 */
async function loadValidFile(io: Io, options: Options, { usesDefault, line }: Naming): Promise<ValidFile | undefined> {
  const { switches, words } = options;
  const loaded = await load(io, options);
  if (loaded === undefined) return undefined;
  const { file } = loaded;
  const chosen = file === undefined ? undefined : chooseWorkflow(file, words, usesDefault);
  if (file !== undefined && chosen === undefined) {
    return (await import('./unknown_workflow.ts')).unnamedWorkflow(io, file, loaded.source.path);
  }
  const { workflow, rest }: Chosen = chosen ?? { workflow: '', rest: [] };
  const { params, problems } = readParams(rest, line);
  if (problems.length > 0) return fail(io, problems);
  const inherits = (name: string): boolean => io.env[name] !== undefined;
  const { errors, warnings } = lint(loaded, switches.has('strict'), { workflow, params: new Map(params), inherits });
  const shown = switches.has('quiet') ? new DiagnosticList() : warnings;
  await printDiagnostics(io, options, { ...loaded, errors, warnings: shown });
  if (loaded.kind !== 'valid' || errors.items.length > 0) return undefined;
  return { ...loaded, workflow, params };
}

/** The plan of a workflow. Returns undefined after printing an error. */
async function compileWorkflow(
  io: Io,
  { file, source, workflow, params }: ValidFile,
  line: readonly string[],
  options: Options,
): Promise<Plan | undefined> {
  if (!file.workflows.has(workflow)) {
    const { unknownWorkflow } = await import('./unknown_workflow.ts');
    return fail(io, unknownWorkflow(workflow, file, options.file, line));
  }
  const compiled = compile(file, workflow, params);
  if (compiled.kind === 'plan') return compiled.plan;
  if (compiled.kind === 'too large') {
    const message = tooLarge(operationsText(compiled.operations), OPERATION_LIMIT);
    return fail(io, [`workflow '${workflow}': ${message}`]);
  }
  const errors = new DiagnosticList();
  addUnresolved(errors, workflow, false, compiled.unresolved);
  const found = { errors: mergeCopies(errors, source.included), warnings: new DiagnosticList() };
  return printDiagnostics(io, options, { source, ...found });
}

/** Prints the warnings about parameters. Returns false if `--strict` or declared inputs make them errors. */
function checkParams(io: Io, plan: Plan, { switches }: Options): boolean {
  const overriding = matrixParams(plan);
  if (overriding.length > 0) {
    fail(io, overriding);
    return false;
  }
  const warnings = paramWarnings(plan);
  if (warnings.length > 0 && (switches.has('strict') || plan.calls[0]?.inputs !== undefined)) {
    fail(io, warnings);
    return false;
  }
  if (!switches.has('quiet')) printStderr(io, warnings, 'cli: warning: ');
  return true;
}
