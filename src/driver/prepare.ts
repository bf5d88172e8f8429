import { positionsIn, type FilePosition, type Source } from '../frontend/diagnostics/source.ts';
import type { WorkflowFile } from '../frontend/ast.ts';
import { needsLinking } from '../ir/needs_linking.ts';
import type { Plan, Variable } from '../ir/plan.ts';
import type { Options } from '../command_line/parse.ts';
import type { Io } from '../output/io.ts';
import type { Message, Reported } from '../output/messages/message.ts';
import { failure, type Result } from '../result.ts';
import { chooseWorkflow, type Chosen } from '../command_line/choose_workflow.ts';
import { compileWorkflow } from './compile_workflow.ts';
import { load, type LoadedFile } from './load.ts';
import { lint } from './lint.ts';
import { isParam, readParams } from '../command_line/params.ts';
import { checkInputs, checkNegativeValues } from './variables/check_values.ts';
import { matrixParams, paramWarnings, commandTextOf } from './variables/param_warnings.ts';

/** The use of a plan. A plan that is exported or submitted runs with another environment than that of this process. */
type Purpose = 'run' | 'submit' | 'explain' | 'graph' | 'export';

/**
 * The needs of a purpose. `usesDefault`: without a name, the workflow is the file's `default`. `values`: the plan is
 * linked to the process environment, and inputs and references without a value are errors (`required`) or only shown.
 * `negative`: the severity of a condition that tests a value such as `false`.
 */
type Needs = Readonly<{
  usesDefault: boolean;
  values: 'required' | 'shown' | 'unused';
  negative: 'error' | 'warning' | 'ignored';
}>;

const NEEDS: Readonly<Record<Purpose, Needs>> = {
  run: { usesDefault: true, values: 'required', negative: 'error' },
  submit: { usesDefault: true, values: 'unused', negative: 'ignored' },
  explain: { usesDefault: false, values: 'shown', negative: 'warning' },
  graph: { usesDefault: false, values: 'unused', negative: 'warning' },
  export: { usesDefault: false, values: 'unused', negative: 'ignored' },
};

/**
 * A compiled plan, linked to the process environment; the path of its file, and a function from an offset in the file to
 * its position. For `startDirectory` see `LoadedFile`.
 */
export type Prepared = Readonly<{ plan: Plan; path: string; startDirectory: string }> &
  Readonly<{ position: (offset: number) => FilePosition }>;

/** `written` is the plan before it is linked, which is the same on every machine. */
export type PreparedRun = Prepared & Readonly<{ written: Plan }>;

/** A prepared run with its file. `hasInputs`: all inputs and references have a value, if they need one. */
type PreparedFile = PreparedRun & Readonly<{ file: WorkflowFile; source: Source; hasInputs: boolean }>;

/** A file without errors, its source text, and the workflow and parameters to compile. */
type ValidFile = Readonly<{ file: WorkflowFile; workflow: string; params: readonly Variable[] }> &
  Pick<LoadedFile, 'source' | 'startDirectory'>;

/** Where a plan is looked for, with the words of the command line. Steps add the warnings that do not prevent it. */
type Request = Readonly<{ io: Io; options: Options; line: readonly string[]; messages: Message[] }>;

/**
 * Like `prepare`, but releases the file and its text: the more memory this process holds, the slower each step starts.
 */
export async function prepareRun(io: Io, options: Options): Promise<Reported<PreparedRun>> {
  const prepared = await prepare(io, options, 'run');
  if (!prepared.ok) return prepared;
  const { file: _file, source: _source, ...value } = prepared.value;
  return { ...prepared, value };
}

/**
 * Reads the parameters and the file, and compiles the workflow, so that everything that can fail does so before the
 * first command. `line` contains the words of the command line.
 */
export async function prepare(
  io: Io,
  options: Options,
  purpose: Purpose,
  line = wordsOf(options),
): Promise<Reported<PreparedFile>> {
  const messages: Message[] = [];
  return { ...(await prepareFor(NEEDS[purpose], { io, options, line, messages })), messages };
}

/** The errors in parameters that no change of the file can mend. */
export function paramProblems(options: Options, line: readonly string[] = wordsOf(options)): readonly string[] {
  const [first, ...rest] = options.words;
  // The file decides whether a parameter in place of the name means the default workflow.
  return first === undefined || isParam(first) ? [] : readParams(rest, line).problems;
}

async function prepareFor(needs: Needs, request: Request): Promise<Result<PreparedFile, Message>> {
  const { io, options, line, messages } = request;
  const early = paramProblems(options, line);
  if (early.length > 0) return failure(...early);
  const loaded = await loadValidFile(needs, request);
  if (!loaded.ok) return loaded;
  const { file, source, workflow, startDirectory } = loaded.value;
  if (!file.workflows.has(workflow)) {
    return failure(...(await import('./unknown_workflow.ts')).unknownWorkflow(workflow, file, options.file, line));
  }
  const compiled = await compileWorkflow(loaded.value);
  if (!compiled.ok) return compiled;
  const written = compiled.value;
  const wrong = await checkParams(written, file, request);
  if (wrong.length > 0) return failure(...wrong);
  const isLinked = needs.values !== 'unused';
  const isRequired = needs.values === 'required';
  const { plan, problems } =
    isLinked && needsLinking(written)
      ? await (await import('./variables/link_plan.ts')).linkPlan(io, written, loaded.value)
      : { plan: written, problems: [] };
  if (isRequired && problems.length > 0) return { ok: false, problems };
  messages.push(...problems);
  if (options.args.length > 0 && !plan.ops.some((op) => MENTIONS_ARGUMENTS.test(commandTextOf(op)))) {
    return failure(
      `nothing in workflow '${plan.workflow}' mentions the arguments after '--'; write "$@" where they belong`,
    );
  }
  const missing = isLinked ? await checkInputs(io, plan, options) : [];
  if (isRequired && missing.length > 0) return failure(...missing);
  messages.push(...missing);
  const position = positionsIn(source);
  const hasInputs = problems.length + missing.length === 0;
  const value = { plan, written, file, source, path: source.path, startDirectory, position, hasInputs };
  if (needs.negative === 'ignored') return { ok: true, value };
  const severity = options.switches.has('strict') ? 'error' : needs.negative;
  const negative = checkNegativeValues(io, value, severity);
  if (severity === 'error' && negative.length > 0) return failure(...negative);
  messages.push(...negative);
  return { ok: true, value };
}

/** `$@`, `$*`, `$#`, `$1` and the like, also in braces. */
const MENTIONS_ARGUMENTS = /\$(?:[@*#1-9]|\{!?(?:[@*]|[1-9]\d*(?!\w)|#(?:[}@*:]|[1-9])))/;

/** The words of a command line that may be secret names or values, see `createRedactor`. */
export function wordsOf({ values, words }: Options): string[] {
  return [...values.values(), ...words];
}

/** Loads the file and checks it, including the data flow of a run of the requested workflow. */
async function loadValidFile(
  { usesDefault }: Needs,
  { io, options, line, messages }: Request,
): Promise<Result<ValidFile, Message>> {
  const read = await load(io, options);
  messages.push(...(read.messages ?? []));
  if (!read.ok) return read;
  const { value: loaded } = read;
  const { file, source } = loaded;
  const chosen = file === undefined ? undefined : chooseWorkflow(file, options.words, usesDefault);
  if (file !== undefined && chosen === undefined) {
    return failure({ kind: 'unnamed', file, path: source.path });
  }
  const { workflow, rest }: Chosen = chosen ?? { workflow: '', rest: [] };
  const { params, problems } = readParams(rest, line);
  if (problems.length > 0) return failure(...problems);
  const inherits = (name: string): boolean => io.env[name] !== undefined;
  const strict = options.switches.has('strict');
  const { errors, warnings } = lint(loaded, strict, { workflow, params: new Map(params), inherits });
  const diagnostics = { kind: 'diagnostics', source, errors, warnings } as const;
  if (loaded.kind !== 'valid' || errors.items.length > 0) return failure(diagnostics);
  if (warnings.items.length > 0) messages.push(diagnostics);
  return { ok: true, value: { ...loaded, workflow, params } };
}

/** The errors about parameters. Warnings are errors with `--strict` or declared inputs. */
async function checkParams(plan: Plan, file: WorkflowFile, { options, messages }: Request): Promise<readonly string[]> {
  const overriding = matrixParams(plan);
  if (overriding.length > 0) return overriding;
  const lines = await paramWarnings(plan, file);
  if (options.switches.has('strict') || plan.calls[0]?.inputs !== undefined) return lines;
  if (lines.length > 0) messages.push({ kind: 'lines', prefix: 'cli: warning: ', lines });
  return [];
}
