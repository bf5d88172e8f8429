import type { StepNumber } from '../../frontend/diagnostics/diagnostic.ts';
import type { FilePosition } from '../../frontend/diagnostics/source.ts';
import { listedSecrets, MASK, secretNames, type Secrecy } from '../secret_names.ts';
import { isInBackground } from '../ops.ts';
import { describeBackground } from './step_options.ts';
import { programLine } from './describe_secret.ts';
import { NAMES, stepPaths } from '../steps/step_paths.ts';
import { plainNumber } from '../steps/step_number.ts';
import { at, framesFrom, type OutputRead, type Plan, type RunOp } from '../plan.ts';
import { scopesOf, valueIn, type Setting } from '../environment.ts';
import { CandidateSettings } from './candidate_settings.ts';

/** A variable of a step: its value and source, and the settings that it overrides, strongest first. Secrets are masked. */
export type ExplainedVariable = Readonly<{ name: string }> & Setting & Readonly<{ over: readonly Setting[] }>;

/**
 * A step of a run. `path` has the steps that call, outermost first; `reads` the outputs that the step refers to, itself
 * or in its variables, undefined without any. Steps with equal variables in a row share the list. Steps of included files
 * have their position. `background` describes the life of a step in the background.
 */
export type ExplainedStep = Readonly<{
  path: readonly string[];
  workflow: string;
  step: StepNumber;
  name: string;
  command: string;
  variables: readonly ExplainedVariable[];
  reads: readonly ExplainedRead[] | undefined;
}> &
  Partial<FilePosition & Readonly<{ background: readonly string[] }>>;

/** A referenced output and its step. */
export type ExplainedRead = Readonly<{ output: string; name: string; workflow: string; step: StepNumber }>;

/** Selects one variable or all, and all steps or those with a name, with a path or below it, or with a number. */
export type ExplainQuery = Readonly<{ variable: string | undefined; step: string | undefined }>;

/**
 * The variables of each requested step, with their sources. The process environment is below the settings of the file;
 * of its variables, only the requested one and those that the file or the parameters also set are included. Runs in
 * time linear in its result.
 */
export function* explainPlan(
  plan: Plan,
  { variable, step }: ExplainQuery,
  environment: Readonly<Record<string, string | undefined>>,
  position: (offset: number) => FilePosition,
): Generator<ExplainedStep> {
  const settings = new CandidateSettings(plan, variable);
  const declared = new Set(listedSecrets(plan));
  const callers = callersOf(plan);
  const isSecret = secretNames(plan);
  // Only boolean values differ from the value in their source.
  const hasBooleans = plan.frames.some(({ inputs = [] }) => inputs.some(({ type }) => type === 'boolean'));
  const scopeOf = scopesOf(plan);
  const variablesOf = (name: string, frame: number): readonly ExplainedVariable[] => {
    const inherited = Object.hasOwn(environment, name) ? environment[name] : undefined;
    const under = inherited === undefined ? [] : [{ value: inherited, source: 'environment' }];
    const all = [...settings.of(name), ...under, ...settings.weakerOf(name)];
    const [first, ...over] = isSecret(name) ? all.map(({ source }) => ({ value: MASK, source })) : all;
    if (first === undefined) return [];
    const value = hasBooleans && !isSecret(name) ? valueIn(scopeOf(frame), name, first.value) : first.value;
    return [{ name, value, source: first.source, over }];
  };
  let variables: readonly ExplainedVariable[] | undefined;
  let last: Readonly<{ frame: number; reads: readonly OutputRead[] }> = { frame: -1, reads: [] };
  const isAsked = step === undefined ? () => true : stepFilter(plan, step);
  for (const [index, op] of plan.ops.entries()) {
    if (op.kind !== 'run') continue;
    const { call, name, command, frame } = op;
    const { outermost, path } = pathOf(plan, callers, op);
    if (!isAsked(index, name, outermost)) continue;
    const names = (): string[] => (variable === undefined ? settings.names().toSorted(byName) : [variable]);
    const gets = explainSecrets(plan, op, environment, isSecret).filter(
      (each) => variable === undefined || each.name === variable,
    );
    if (settings.moveTo(frame) || variables === undefined) {
      variables = names().flatMap((each) => (declared.has(each) ? [] : variablesOf(each, frame)));
    }
    const life = isInBackground(op) ? { background: describeBackground(plan, op) } : {};
    const ofTest = op.ready === undefined ? [] : readsOfFrame(plan, op.ready);
    if (variable === undefined && frame !== last.frame) last = { frame, reads: readsOfFrame(plan, frame) };
    const reads =
      variable === undefined
        ? explainReads(plan, [...op.reads, ...(op.question?.reads ?? []), ...ofTest, ...last.reads])
        : undefined;
    const inIncluded = op.offset >= (plan.files?.[0]?.start ?? Infinity);
    const place = inIncluded ? position(op.offset) : {};
    yield {
      path,
      workflow: at(plan.calls, call).workflow,
      step: op.step,
      name,
      ...place,
      command,
      variables: gets.length === 0 ? variables : [...variables, ...gets],
      reads,
      ...life,
    };
  }
}

/** The secrets that a step gets. An inherited variable takes precedence over the provider. */
function explainSecrets(
  { secrets = [] }: Plan,
  op: RunOp,
  environment: Readonly<Record<string, string | undefined>>,
  isSecret: Secrecy,
): readonly ExplainedVariable[] {
  return (op.secrets ?? []).map((index) => {
    const { name, source } = at(secrets, index);
    const provider = { value: MASK, source: `secret: ${source === null ? '' : programLine(source, isSecret)}` };
    const isInherited = (environment[name] ?? '') !== '';
    const used = isInherited ? { value: MASK, source: 'environment' } : provider;
    return { name, value: used.value, source: used.source, over: isInherited ? [provider] : [] };
  });
}

/** The references in the variables of a frame and its outer frames, without overridden variables. */
function readsOfFrame(plan: Plan, frame: number): readonly OutputRead[] {
  const reads: OutputRead[] = [];
  const seen = new Set(plan.params.map(([name]) => name));
  for (const [, { vars }] of framesFrom(plan, frame)) {
    for (const [name, , own = []] of vars) {
      if (seen.size !== seen.add(name).size) for (const read of own) reads.push(read);
    }
  }
  return reads;
}

function explainReads(plan: Plan, reads: readonly OutputRead[]): readonly ExplainedRead[] | undefined {
  const unique = new Map(reads.map((read) => [`${read.from} ${read.output}`, read]));
  const explained = [...unique.values()].flatMap(({ from, output }): ExplainedRead[] => {
    const op = from === null ? undefined : at(plan.ops, from);
    if (op?.kind !== 'run') return [];
    return [{ output, name: op.name, workflow: at(plan.calls, op.call).workflow, step: op.step }];
  });
  return explained.length === 0 ? undefined : explained;
}

function byName(one: string, other: string): number {
  return one < other ? -1 : 1;
}

/** The number of calls shown at either end of the path of a step. */
const SHOWN = 8;

/**
 * The callers of a call: their number, the names of the outermost ones, shared with inner calls, and the number of the
 * step of the requested workflow (undefined for that workflow itself).
 */
type Callers = Readonly<{ depth: number; outer: readonly string[]; step: StepNumber | undefined }>;

/** The callers of each call of a plan. */
function callersOf({ calls }: Plan): readonly Callers[] {
  const all: Callers[] = [];
  for (const call of calls) {
    const { from } = call;
    const { depth, outer, step } = from === null ? { depth: -1, outer: [], step: undefined } : at(all, from.call);
    const path = from === null || depth >= SHOWN ? outer : [...outer, NAMES.call(call)];
    all.push({ depth: depth + 1, outer: path, step: step ?? from?.step });
  }
  return all;
}

/** The calls that lead to a step, with `…` for the middle of a long path, and the step of the requested workflow. */
function pathOf({ calls }: Plan, callers: readonly Callers[], op: RunOp): { path: string[]; outermost: StepNumber } {
  const { depth, outer, step } = at(callers, op.call);
  const inner: string[] = [];
  for (let call = at(calls, op.call); call.from !== null && inner.length < SHOWN; call = at(calls, call.from.call)) {
    inner.push(NAMES.call(call));
  }
  const start = depth <= SHOWN ? [] : outer.slice(0, depth - SHOWN);
  const path = [...start, ...(depth > 2 * SHOWN ? ['…'] : []), ...inner.toReversed()];
  return { path, outermost: step ?? op.step };
}

/** Whether a text of the user means a step: `outermost` is its number, or that of its call, in the requested workflow. */
function stepFilter(plan: Plan, text: string): (op: number, name: string, outermost: StepNumber) => boolean {
  const found = new Set<number>();
  for (const entry of stepPaths(plan, NAMES)) {
    if (entry.kind === 'run' && entry.isAtOrBelow(text)) found.add(entry.index);
  }
  return (op, name, outermost) => name === text || plainNumber(outermost) === text || found.has(op);
}
