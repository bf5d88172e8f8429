import { positionsIn, type FilePosition, type Source } from '../../frontend/diagnostics/source.ts';
import type { Input, WorkflowFile } from '../../frontend/ast.ts';
import { needsLinking } from '../../ir/needs_linking.ts';
import type { Plan, Segment, Variable } from '../../ir/plan.ts';
import { flagWords } from './flag_words.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import type { Io } from '../output/io.ts';
import type { UnnamedFile } from '../output/messages/findings.ts';
import type { Message, Reported } from '../output/messages/message.ts';
import { failure, type Result } from '../../base/result.ts';
import { chooseWorkflow, namesSeveral } from '../command_line/choose_workflow.ts';
import type { IncludeFiles } from './include/load_includes.ts';
import { compileWorkflow } from './compile_workflow.ts';
import { load, type LoadedFile, type ReadFile } from './load.ts';
import { usesArguments } from '../../ir/ops.ts';
import { lint, neededLint, warningsOfRun } from './warnings.ts';
import { readValues } from '../command_line/params.ts';
import { askableInputs, checkInputs, checkNegativeValues } from './variables/check_values.ts';
import { paramWarnings, refusedParams } from './variables/param_warnings.ts';

/** The use of a plan. A plan that is exported or submitted runs with another environment than that of this process. */
type Purpose = 'run' | 'submit' | 'explain' | 'graph' | 'export';

/**
 * The needs of a purpose. `usesDefault`: without a name, the workflow is the file's `default`. `values`: the plan is linked to the process environment, and inputs and references
 * without a value are errors (`required`) or only shown. `negative`: the severity of a test of a value such as `false`.
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
 * its position. For `startDirectory` see `LoadedFile`. `logs` is the field of the workflow, if it has it; `masksLogs` is
 * for a run whose logs an agent reads.
 */
export type Prepared = Readonly<{ plan: Plan; path: string; startDirectory: string }> &
  Readonly<{ position: (offset: number) => FilePosition; logs: boolean | undefined; masksLogs?: true }>;

/**
 * `written` is the plan before it is linked, which is the same on every machine. `questions`: required inputs without a
 * value, for which the user can be asked; undefined if there are none.
 */
export type PreparedRun = Prepared & Readonly<{ written: Plan; questions: Questions | undefined }>;

/** Required inputs to ask for, and a function that prepares the run with parameters in addition. */
export type Questions = Readonly<{ inputs: readonly Input[] }> &
  Readonly<{ answered: (params: readonly Variable[]) => Promise<Reported<PreparedRun>> }>;

/** A prepared run with its file. `hasInputs`: all inputs and references have a value, if they need one. */
type PreparedFile = PreparedRun & Readonly<{ file: WorkflowFile; source: Source; hasInputs: boolean }>;

/** A file without errors, its source text, and the workflow and parameters to compile, or those of several. */
type ValidFile = Readonly<{ file: WorkflowFile; workflow: string; params: readonly Variable[] }> &
  Readonly<{ segments: readonly Segment[] }> &
  Pick<LoadedFile, 'source' | 'startDirectory'>;

/** Where a plan is looked for, with the words of the command line. Steps add the warnings that do not prevent it. */
type Request = Readonly<{ io: Io; options: Options; line: readonly string[]; messages: Message[]; mayAsk: boolean }> &
  Pick<Preparation, 'read' | 'readDotenv' | 'withoutSecrets'> & { readonly askName?: AskName | undefined };

/** Asks for the name of the workflow, after the messages so far; undefined if it is not asked for. */
export type AskName = (unnamed: UnnamedFile, messages: Message[]) => Promise<string | undefined>;

/**
 * Like `prepare`, but releases the file and its text: with more memory, a process starts each step more slowly.
 * `askName` is called for a valid file if the command line names no workflow.
 */
export async function prepareRun(io: Io, options: Options, askName?: AskName): Promise<Reported<PreparedRun>> {
  const messages: Message[] = [];
  const request = { io, options, line: wordsOf(options), messages, mayAsk: options.planDigest === undefined, askName };
  return { ...withoutFile(await prepareFor(NEEDS.run, request)), messages };
}

function withoutFile(prepared: Result<PreparedFile, Message>): Result<PreparedRun, Message> {
  if (!prepared.ok) return prepared;
  const { file: _file, source: _source, ...value } = prepared.value;
  return { ok: true, value };
}

/**
 * The words of the command line, the file if it has been read, the source of dotenv files if it is not the disk, and a
 * function that leaves out the parameters of a record that are secrets of the file by now.
 */
type Preparation = Readonly<{
  line?: readonly string[];
  read?: ReadFile | undefined;
  readDotenv?: IncludeFiles['read'];
  withoutSecrets?: (file: WorkflowFile, params: readonly Variable[]) => readonly Variable[];
}>;

/**
 * Reads the parameters and the file, and compiles the workflow, so that everything that can fail does so before the
 * first command.
 */
export async function prepare(
  io: Io,
  options: Options,
  purpose: Purpose,
  { line = wordsOf(options), ...more }: Preparation = {},
): Promise<Reported<PreparedFile>> {
  const messages: Message[] = [];
  return { ...(await prepareFor(NEEDS[purpose], { io, options, line, messages, mayAsk: false, ...more })), messages };
}

/** The errors in the words after the name of the workflow to run; empty if the file cannot be read. */
export async function operandProblems(io: Io, options: Options): Promise<readonly Message[]> {
  const loaded = await load(io, options);
  const { file } = loaded.ok ? loaded.value : { file: undefined };
  if (!loaded.ok || file === undefined) return [];
  const read = await readOperands(NEEDS.run, { options, line: wordsOf(options) }, loaded.value, file);
  return read === undefined || read.ok ? [] : read.problems;
}

async function prepareFor(needs: Needs, request: Request): Promise<Result<PreparedFile, Message>> {
  const loaded = await loadValidFile(needs, request);
  return loaded.ok ? planFile(needs, request, loaded.value) : loaded;
}

/** Compiles and checks a workflow of a valid file. */
async function planFile(needs: Needs, request: Request, valid: ValidFile): Promise<Result<PreparedFile, Message>> {
  const { io, options, line, messages } = request;
  const { file, source, workflow, startDirectory } = valid;
  if (!file.workflows.has(workflow)) {
    const unknown = (await import('./unknown_workflow.ts')).unknownWorkflow(workflow, file, options.file, line);
    if (!needs.usesDefault) return failure(...unknown);
    const { valueOfDefault } = await import('./operands/operand_errors.ts');
    return failure(...unknown, ...valueOfDefault(file, options.file, options.words, line));
  }
  const compiled = await compileWorkflow(valid);
  if (!compiled.ok) return compiled;
  const { segments } = valid;
  const written = segments.length === 0 ? compiled.value : { ...compiled.value, segments };
  const wrong =
    segments.length === 0 ? await checkParams(written, file, request) : await checkSegments(written, valid, request);
  if (wrong.length > 0) return failure(...wrong);
  const isLinked = needs.values !== 'unused';
  const isRequired = needs.values === 'required';
  const { plan, problems, warnings } =
    isLinked && needsLinking(written)
      ? await (await import('./variables/link_plan.ts')).linkPlan(io, written, valid, request.readDotenv)
      : { plan: written, problems: [], warnings: [] };
  messages.push(...warnings);
  if (isRequired && problems.length > 0) return { ok: false, problems };
  messages.push(...problems);
  if (options.args.length > 0 && !plan.ops.some(usesArguments)) {
    return failure(
      `nothing in workflow '${plan.workflow}' mentions the arguments after '--'; write "$@" where they belong`,
    );
  }
  const missing = isLinked ? await checkInputs(io, plan, options) : [];
  const asked = request.mayAsk && missing.length > 0 ? await askableInputs(io, plan, options) : [];
  if (isRequired && missing.length > 0 && asked.length === 0) return failure(...missing);
  if (asked.length === 0) messages.push(...missing);
  const answered = async (params: readonly Variable[]): Promise<Reported<PreparedRun>> => {
    const again = { ...request, messages: [], mayAsk: false };
    return withoutFile(await planFile(needs, again, { ...valid, params: [...valid.params, ...params] }));
  };
  const questions = asked.length === 0 ? undefined : { inputs: asked, answered };
  const position = positionsIn(source);
  const hasInputs = problems.length + missing.length === 0;
  const { logs } = file.workflows.get(workflow) ?? {};
  const found = { plan, written, file, source, path: source.path, startDirectory, position, logs };
  const value = { ...found, hasInputs, questions };
  if (needs.negative === 'ignored') return { ok: true, value };
  const severity = options.strict ? 'error' : needs.negative;
  const negative = checkNegativeValues(io, value, severity);
  if (severity === 'error' && negative.length > 0) return failure(...negative);
  messages.push(...negative);
  return { ok: true, value };
}

/** The words of a command line that may be secret names or values, see `createRedactor`. */
export function wordsOf(options: Options): string[] {
  return [...flagWords(options).flatMap(([, ...value]) => value), ...options.words];
}

/** Loads the file and checks it, including the data flow of a run of the requested workflow. */
async function loadValidFile(needs: Needs, request: Request): Promise<Result<ValidFile, Message>> {
  const { io, options, messages } = request;
  const read = request.read ?? (await load(io, options));
  messages.push(...(read.messages ?? []));
  if (!read.ok) return read;
  const { value: loaded } = read;
  const { file, source } = loaded;
  const operands = file === undefined ? undefined : await readOperands(needs, request, loaded, file);
  if (operands?.ok === false) return operands;
  const { workflow, params, segments = [] } = operands?.value ?? { workflow: '', params: [] };
  const several = operands?.value.file;
  const withSegments = loaded.kind !== 'valid' || several === undefined ? loaded : { ...loaded, file: several };
  const inherits = (name: string): boolean => io.env[name] !== undefined;
  const strict = options.strict;
  const find = await neededLint(loaded, { isMade: several !== undefined });
  const linted = { workflow, params: new Map(params), inherits };
  const { errors, warnings } = lint(withSegments, strict, find, linted);
  const diagnostics = { kind: 'diagnostics', source, errors, warnings } as const;
  if (loaded.kind !== 'valid' || errors.items.length > 0) return failure(diagnostics);
  const ofRun = warningsOfRun(loaded.file, workflow, warnings);
  if (ofRun.items.length > 0) messages.push({ ...diagnostics, warnings: ofRun });
  const kept = request.withoutSecrets?.(loaded.file, params) ?? params;
  return { ok: true, value: { ...loaded, file: several ?? loaded.file, workflow, params: kept, segments } };
}

/** The workflow to run and its parameters; of several workflows, each with its parameters, and a file that calls them. */
type Operands = Readonly<{ workflow: string; params: readonly Variable[] }> &
  Partial<Pick<ValidFile, 'segments' | 'file'>>;

/** The workflow that is named on the command line, and its parameters. */
async function readOperands(
  { usesDefault }: Needs,
  request: Pick<Request, 'options' | 'line' | 'askName'> & Partial<Pick<Request, 'messages'>>,
  { kind, source }: LoadedFile,
  file: WorkflowFile,
): Promise<Result<Operands, Message>> {
  const { options, line, messages = [], askName } = request;
  if (kind === 'valid' && namesSeveral(file, options.words)) {
    const read = (await import('./operands/several.ts')).readSeveral(file, options.words, options.file, line);
    return read.ok ? { ok: true, value: { ...read.value, params: [] } } : read;
  }
  const unnamed = { kind: 'unnamed', file, path: source.path } as const;
  const given = chooseWorkflow(file, options.words, usesDefault);
  const asked = given === undefined && kind === 'valid' ? await askName?.(unnamed, messages) : undefined;
  const named = asked === undefined ? given : { workflow: asked, rest: [], isDefault: false };
  if (named === undefined) return failure(unnamed);
  const { workflow } = named;
  const { params, problems, left } = readValues(named, file, line);
  // What is wrong with the file comes first.
  if (left.length + problems.length === 0 || kind !== 'valid') return { ok: true, value: { workflow, params } };
  const { operandErrors } = await import('./operands/operand_errors.ts');
  const errors = operandErrors({ file, path: options.file, line, ...named });
  return errors.length > 0 ? failure(...errors) : { ok: true, value: { workflow, params } };
}

/** The errors about the parameters of several workflows: those of a run of each, and parameters that would have no effect. */
async function checkSegments(plan: Plan, valid: ValidFile, request: Request): Promise<readonly Message[]> {
  const { overriddenSegments } = await import('./operands/several.ts');
  const problems: Message[] = [...overriddenSegments(plan, valid.segments)];
  for (const segment of valid.segments) {
    const compiled = await compileWorkflow({ ...valid, ...segment });
    problems.push(...(compiled.ok ? await checkParams(compiled.value, valid.file, request) : compiled.problems));
  }
  return problems;
}

/** The errors about parameters. Warnings are errors with `--strict` or declared inputs. */
async function checkParams(plan: Plan, file: WorkflowFile, { options, messages }: Request): Promise<readonly string[]> {
  const refused = refusedParams(plan);
  if (refused.length > 0) return refused;
  const lines = await paramWarnings(plan, file);
  if (options.strict || plan.calls[0]?.inputs !== undefined) return lines;
  if (lines.length > 0) messages.push({ kind: 'lines', prefix: 'cli: warning: ', lines });
  return [];
}
