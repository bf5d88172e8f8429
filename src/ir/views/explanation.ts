import { candidateSettings } from '../environment.ts';
import { at, type StepPosition, type Plan, type OutputRead, type RunOp } from '../plan.ts';
import { maskValue } from '../mask.ts';

/** A value as it may be shown, and where it comes from. */
type ShownSetting = Readonly<{ value: string; source: string }>;

/** A variable of a step: what it has, and what it would have from each weaker source, in order. */
export type ExplainedVariable = Readonly<{
  name: string;
  value: string;
  source: string;
  over: readonly ShownSetting[];
}>;

/** A step of a run, with the calls that lead to it (their steps, the outermost first). */
export type ExplainedStep = Readonly<{
  path: readonly string[];
  workflow: string;
  step: number;
  name: string;
  command: string;
  variables: readonly ExplainedVariable[];
  /** The outputs of other steps that it uses, itself or in variables; undefined where there are none. */
  reads: readonly ExplainedRead[] | undefined;
}>;

/** An output that is read, and the step that gives it. */
export type ExplainedRead = Readonly<{ output: string; name: string; workflow: string; step: number }>;

/** What is to be explained: one variable or all, one step (by name, or by number in the workflow asked for) or all. */
export type ExplainQuery = Readonly<{ variable: string | undefined; step: string | undefined }>;

/**
 * For each step of a plan that was asked about: which variables it has, and why. `environment` is what
 * the runner's own process has, which lies under all that the file says; only names that the file or the
 * parameters set too are told, and the one that was asked for.
 */
export function* explainPlan(
  plan: Plan,
  { variable, step }: ExplainQuery,
  environment: Readonly<Record<string, string | undefined>>,
): Generator<ExplainedStep> {
  let last = { frame: -1, rivals: candidateSettings(plan, 0) };
  for (const op of plan.ops) {
    if (op.kind !== 'run' || !isAsked(plan, op, step)) continue;
    if (op.frame !== last.frame) last = { frame: op.frame, rivals: candidateSettings(plan, op.frame) };
    const { rivals } = last;
    const names = variable === undefined ? [...rivals.keys()].toSorted(byName) : [variable];
    const variables = names.flatMap((name): ExplainedVariable[] => {
      const inherited = Object.hasOwn(environment, name) ? environment[name] : undefined;
      const under = inherited === undefined ? [] : [{ value: inherited, source: 'environment' }];
      const [won, ...over] = [...(rivals.get(name) ?? []), ...under].map(({ value, source }) => {
        return { value: maskValue(name, value), source };
      });
      return won === undefined ? [] : [{ name, ...won, over }];
    });
    const { workflow } = at(plan.calls, op.call);
    const reads = variable === undefined ? readsOf(plan, op) : undefined;
    yield { path: pathOf(plan, op), workflow, step: op.step, name: op.name, command: op.command, variables, reads };
  }
}

function readsOf(plan: Plan, { reads, frame }: RunOp): readonly ExplainedRead[] | undefined {
  const all: OutputRead[] = [...reads];
  // What a stronger source lies over is not read.
  const seen = new Set(plan.params.map(([name]) => name));
  for (let index: number | null = frame; index !== null; index = at(plan.frames, index).parent) {
    for (const [name, , inner = []] of at(plan.frames, index).vars) {
      if (seen.size !== seen.add(name).size) for (const read of inner) all.push(read);
    }
  }
  const unique = new Map(all.map((read) => [`${read.from} ${read.output}`, read]));
  const explained = [...unique.values()].flatMap(({ from, output }): ExplainedRead[] => {
    const op = from === null ? undefined : at(plan.ops, from);
    if (op?.kind !== 'run') return [];
    return [{ output, name: op.name, workflow: at(plan.calls, op.call).workflow, step: op.step }];
  });
  return explained.length === 0 ? undefined : explained;
}

/** Of the calls that lead to a step, this many are told from either end. */
const KEPT = 8;

function byName(one: string, other: string): number {
  return one < other ? -1 : 1;
}

function isAsked(plan: Plan, op: RunOp, step: string | undefined): boolean {
  return step === undefined || op.name === step || String(outermost(plan, op).step) === step;
}

/** The step of the workflow asked for that leads to a place. */
function outermost(plan: Plan, place: StepPosition): StepPosition {
  let found = place;
  for (let from = at(plan.calls, found.call).from; from !== null; from = at(plan.calls, found.call).from) found = from;
  return found;
}

/** The steps that call, down to a place: by their names, or by what they call where they have none. */
function pathOf(plan: Plan, place: StepPosition): string[] {
  const path: string[] = [];
  for (let call = at(plan.calls, place.call); call.from !== null; call = at(plan.calls, call.from.call)) {
    const { name, step } = call.from;
    path.push(name === `step_${step}` ? call.workflow : name);
  }
  const [inner, outer] = [path.slice(0, KEPT).toReversed(), path.slice(KEPT).slice(-KEPT).toReversed()];
  return path.length > 2 * KEPT ? [...outer, '…', ...inner] : [...outer, ...inner];
}
