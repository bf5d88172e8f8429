import { EXIT_CODE } from '../base/exit_code.ts';
import { splice } from './output_variables.ts';
import { at, isWorkflowHook } from './plan.ts';
import type {
  Call,
  CommandOp,
  ConditionOp,
  LookupText,
  Op,
  OutputRead,
  Plan,
  RunOp,
  StepPosition,
  Test,
  VariableLookup,
  StopOp,
} from './plan.ts';
import type { Readiness, StepOptions } from '../frontend/schema/option_fields.ts';
import { secretNames, type Secrecy } from './secret_names.ts';

/** The limit of the time until a step in the background is ready, unless it has a `timeout`, in milliseconds. */
export const READY_LIMIT = 60_000;

/** A step in the background. */
export type BackgroundOp = RunOp & { readonly options: StepOptions & { readonly background: string } };

export function isInBackground(op: Op | undefined): op is BackgroundOp {
  return op?.kind === 'run' && op.options.background !== undefined;
}

/** The steps that an op stops. */
export function stoppedSteps({ ops }: Pick<Plan, 'ops'>, { ops: indexes }: StopOp): readonly BackgroundOp[] {
  return indexes.map((index) => at(ops, index)).filter(isInBackground);
}

/** Where a step in the background lives. `write` writes names of the file. */
export function describeScope({ calls }: Pick<Plan, 'calls'>, { call }: RunOp, write = (name: string) => name): string {
  return `in the background until ${write(at(calls, call).workflow)} ends`;
}

/** A test of readiness as the end of a sentence: `ready when port 8000 answers`. */
export function describeReadiness({ kind, text }: Readiness): string {
  if (kind === 'output') return `its output contains ${JSON.stringify(text)}`;
  if (kind === 'run') return `this succeeds: ${text}`;
  return `${kind === 'port' ? 'port ' : ''}${text} answers`;
}

/** The test of readiness of a step, with values where they are known and not secret. */
export function knownReadiness(plan: Plan, op: RunOp, isSecret: Secrecy = secretNames(plan)): Readiness | undefined {
  const { ready } = op.options;
  if (ready === undefined || op.ready === undefined) return ready;
  const [variable] = at(plan.frames, op.ready).vars;
  const [, text, , lookups = []] = variable ?? ['', ready.text];
  return lookups.some(({ name }) => isSecret(name)) ? ready : { kind: ready.kind, text };
}

/** The parts of a condition that depend on the kind of its test. */
type ConditionParts = Readonly<{
  /** The test as it is written in the file, or the kind of a check. */
  text: string;
  /** The name or the command, with its references to outputs. */
  code: string;
  reads: readonly OutputRead[];
  /** The tested variable. */
  variable: string | undefined;
  /** The last segment of its id in the journal. */
  id: 'if' | 'stale' | 'first';
  /** The state in which it holds. */
  met: string;
  /** The reason for a skipped step. */
  unmet: string;
}>;

const NO_READS: readonly OutputRead[] = [];

/** The parts of a check, which has no code. */
const CHECK = { code: '', reads: NO_READS, variable: undefined } as const;

/** A negated plain word at the beginning of a condition. */
const NEGATED = /^\s*(?:!\s+)+([A-Za-z_][\w.+-]*)(?=[\s;|&)]|$)/;

/**
 * The command of a condition that fails with 127 if it negates a command that does not exist: `! COMMAND` would succeed.
 */
export function withNegationCheck(command: string): string {
  const [, name] = NEGATED.exec(command) ?? [];
  return name === undefined ? command : `type ${name} >/dev/null 2>&1 || { ${name}; exit; }; ${command}`;
}

/** The parts of each kind of test. */
export function conditionParts(test: Test): ConditionParts {
  switch (test.kind) {
    case 'variable': {
      const { name } = test;
      const texts = { text: name, code: name, met: `${name} is set`, unmet: `${name} is not set` };
      return { ...texts, reads: NO_READS, variable: name, id: 'if' };
    }
    case 'command': {
      const { command, reads } = test;
      const texts = { text: command, code: command, met: command, unmet: `condition failed: ${command}` };
      return { ...texts, reads, variable: undefined, id: 'if' };
    }
    case 'stale': {
      const unmet = test.since === undefined ? 'up to date' : `not touched since ${test.since.revision}`;
      return { ...CHECK, text: 'stale', met: 'not up to date', unmet, id: 'stale' };
    }
    case 'first':
      return { ...CHECK, text: 'first', met: 'not run before', unmet: 'already ran', id: 'first' };
  }
}

/** A condition that the file does not write as `if`. */
export type CheckOp = ConditionOp & Readonly<{ test: Test & { readonly kind: 'stale' | 'first' } }>;

export function isCheck(op: Op | undefined): op is CheckOp {
  return op?.kind === 'condition' && (op.test.kind === 'stale' || op.test.kind === 'first');
}

/** The index of the check before a call that runs once; undefined for any other one. */
export function onceCheckOf({ ops }: Pick<Plan, 'ops'>, { start, from }: Call): number | undefined {
  const check = ops[start - 1];
  const isOwn = isCheck(check) && check.test.kind === 'first' && check.call === from?.call && check.step === from.step;
  return isOwn ? start - 1 : undefined;
}

/** The index of the op after the conditions of a step, one of which is given. */
export function afterConditions({ ops }: Pick<Plan, 'ops'>, condition: number): number {
  const first = at(ops, condition);
  let index = condition + 1;
  for (let op = ops[index]; op?.kind === 'condition' && isSameStep(op, first); op = ops[index]) index += 1;
  return index;
}

function isSameStep(one: StepPosition, other: Op): boolean {
  return other.kind !== 'hook' && other.kind !== 'stop' && one.call === other.call && one.step === other.step;
}

/** Whether an op runs a command, or tests a variable. */
export function isCommand(op: Op): op is CommandOp {
  return op.kind !== 'parallel' && op.kind !== 'stop';
}

/** The names of the locks of a linked plan, in the order in which they are taken. */
export function locksOf({ calls }: Pick<Plan, 'calls'>): readonly string[] {
  return [...new Set(calls.flatMap(({ lock }) => lock?.text ?? []))].toSorted();
}

/** A lock in the views of a plan. */
export function describeLock({ text }: LookupText): string {
  return `lock '${text}'`;
}

const NO_LOOKUPS: readonly VariableLookup[] = [];

/** The references to variables in the directory and the question of an op. */
export function lookupsOfOp(op: Op): readonly VariableLookup[] {
  if (!isCommand(op)) return NO_LOOKUPS;
  const directory = op.dirLookup?.lookups ?? NO_LOOKUPS;
  const question = op.kind === 'run' ? (op.question?.lookups ?? NO_LOOKUPS) : NO_LOOKUPS;
  return question.length === 0 ? directory : [...directory, ...question];
}

/** The question of a step as it is known before the run: references to outputs stay as written. */
export function knownQuestion({ options, question }: RunOp): string | null {
  return question?.text ?? options.confirm;
}

/** The op of a recorded command. */
export function commandAt({ ops }: Plan, index: number): CommandOp {
  const op = at(ops, index);
  if (!isCommand(op)) throw new Error('the op has no command');
  return op;
}

/**
 * The lowest version of the format that holds a plan: version 1 has no hooks of workflows, no secrets, and no checks,
 * version 2 no `on_resume`, no `background` and no locks, version 3 no exit codes of steps, no runs of several workflows
 * and no references in questions and in the paths of dotenv files.
 */
export function formatOf(plan: Plan): number {
  const { calls, frames, ops, secrets, segments } = plan;
  if (frames.some(({ dotenv = [] }) => dotenv.some(({ lookups }) => lookups !== undefined))) return 4;
  if (ops.some((op) => op.kind === 'run' && op.question !== undefined)) return 4;
  if (segments !== undefined || allReads(plan).some((read) => isExitCode(plan, read))) return 4;
  if (calls.some(({ lock }) => lock !== undefined)) return 3;
  if (ops.some((op) => op.kind === 'stop' || (op.kind === 'run' && op.options.onResume !== undefined))) return 3;
  return secrets !== undefined || ops.some((op) => isWorkflowHook(op) || isCheck(op)) ? 2 : 1;
}

/** The command of an op without its references to outputs, or the variable that it tests. */
export function codeOf(op: Op): string {
  if (!isCommand(op)) return '';
  const { code, reads } = op.kind === 'condition' ? conditionParts(op.test) : { code: op.command, reads: op.reads };
  return splice(code, reads, () => ' ');
}

/** The references to outputs in the command and the question of an op. */
export function readsOf(op: Op): readonly OutputRead[] {
  if (!isCommand(op)) return [];
  if (op.kind === 'condition') return conditionParts(op.test).reads;
  return op.kind === 'run' && op.question !== undefined ? [...op.reads, ...op.question.reads] : op.reads;
}

/** All references to outputs of a plan. */
export function allReads({ frames, ops }: Plan): readonly OutputRead[] {
  return [...frames.flatMap(({ vars }) => vars.flatMap(([, , reads = []]) => reads)), ...ops.flatMap(readsOf)];
}

/** Whether a reference is to the exit code of a step, not to an output. */
export function isExitCode({ ops }: Pick<Plan, 'ops'>, { from, output }: Pick<OutputRead, 'from' | 'output'>): boolean {
  const op = output === EXIT_CODE && from !== null ? at(ops, from) : undefined;
  return op?.kind === 'run' && !op.options.outputs.some(([name]) => name === EXIT_CODE);
}

/** `$@`, `$*`, `$#`, `$1` and the like, also in braces. */
const ARGUMENTS = /\$(?:[@*#1-9]|\{!?(?:[@*]|[1-9]\d*(?!\w)|#(?:[}@*:]|[1-9])))/;

/** Whether the command of an op uses the arguments after `--`. */
export function usesArguments(op: Op): boolean {
  return ARGUMENTS.test(codeOf(op));
}

/** The variables that a plan sets, and those to which its values, locks, directories and programs of secrets refer. */
export function variablesOf({ frames, calls, ops, secrets = [] }: Plan): string[] {
  const names = frames.flatMap(({ vars, inputs = [], dotenv = [] }) => [
    ...dotenv.flatMap(({ lookups = [] }) => lookups.map((lookup) => lookup.name)),
    ...vars.flatMap(([name, , , lookups = []]) => [name, ...lookups.map((lookup) => lookup.name)]),
    ...inputs.map(({ name }) => name),
  ]);
  for (const { lock } of calls) names.push(...(lock?.lookups ?? []).map(({ name }) => name));
  for (const { source } of secrets) names.push(...(source?.lookups ?? []).map(({ name }) => name));
  for (const op of ops) for (const { name } of lookupsOfOp(op)) names.push(name);
  return names;
}
