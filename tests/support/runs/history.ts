import { createFrameDigests, digest } from '../../../src/ir/steps/digest.ts';
import { createFingerprints, identify } from '../../../src/ir/steps/identity.ts';
import { namePaths } from '../../../src/ir/steps/resolve_step.ts';
import type { Decision, History, Progress, RecordedScope, RecordedStep } from '../../../src/ir/resume/history.ts';
import { decideStates } from '../../../src/ir/resume/decide_states.ts';
import type { ResumeStates, ResumeChoices, StepState } from '../../../src/ir/resume/resume_states.ts';
import { at, type Plan, type Variable } from '../../../src/ir/plan.ts';
import { compiled } from '../plans.ts';

/** How a step ended in the previous run: a progress, or one of these words. */
export type StepFate = 'finished' | 'failed' | 'allowed' | 'killed' | 'interrupted' | 'wanted' | Progress;

/** The run before the resume: its file, and how the commands ended, by their paths. The others did not start. */
export interface Before {
  readonly file: object;
  readonly steps?: Readonly<Record<string, StepFate>>;
  /** The results of conditions, by the paths of their steps; null for one in flight. */
  readonly conditions?: Readonly<Record<string, boolean | null>>;
  readonly params?: readonly Variable[];
}

const FINISHED = { kind: 'finished', exitCode: 0, failed: false, attempts: 1, outputs: [], problem: null } as const;

/** A step that finished with outputs. */
export function finishedWith(...outputs: readonly (readonly [string, string | null])[]): Progress {
  return { ...FINISHED, outputs };
}

function progressOf(fate: StepFate): Progress {
  switch (fate) {
    case 'finished':
      return FINISHED;
    case 'allowed':
      return { ...FINISHED, exitCode: 1, failed: true };
    case 'failed':
      return { kind: 'failed' };
    case 'killed':
    case 'interrupted':
      return { kind: 'unknown', because: fate };
    case 'wanted':
      return { kind: 'none' };
    default:
      return fate;
  }
}

/** Returns a function for the recorded scopes of a plan's steps, which share those of a frame. */
function createScopes(plan: Plan): (frame: number) => RecordedScope {
  const digestsOf = createFrameDigests(plan);
  const params = plan.params.map(([name, value]) => [name, digest(value)] as const);
  const frameAt = (index: number | null): RecordedScope | null =>
    index === null ? null : { vars: digestsOf(index), outer: frameAt(at(plan.frames, index).parent) };
  const scopes = plan.frames.map((_, index) => ({ vars: params, outer: frameAt(index) }));
  return (frame) => at(scopes, frame);
}

/** The content of the journal of a run. */
export function historyOf({ file, steps: fates = {}, conditions = {}, params = [] }: Before): History {
  const plan = compiled(JSON.stringify(file), 'ci', params);
  const fingerprintOf = createFingerprints(plan);
  const scopeOf = createScopes(plan);
  const names = namePaths(plan);
  const steps: RecordedStep[] = [];
  const decisions: Decision[] = [];
  for (const entry of identify(plan)) {
    if (entry.kind === 'call') continue;
    const { index, path: id } = entry;
    const op = at(plan.ops, index);
    const name = names.get(index) ?? '';
    const [fate, holds] = [fates[name], conditions[name]];
    if (op.kind === 'run' && fate !== undefined) {
      const wanted = fate === 'wanted';
      const scope = scopeOf(op.frame);
      steps.push({ id, name: op.name, print: fingerprintOf(op), scope, progress: progressOf(fate), wanted });
    }
    if (op.kind === 'condition' && holds !== undefined) decisions.push({ id, print: fingerprintOf(op), holds });
  }
  return { steps, decisions, cleaned: new Set(), afterAll: null };
}

/** The choices of a resume, with commands by their paths. */
export interface Choices extends Partial<Omit<ResumeChoices, 'done' | 'rerun' | 'onCrash'>> {
  readonly done?: readonly string[];
  readonly rerun?: readonly string[];
  readonly onCrash?: 'ask' | 'rerun' | 'fail';
}

/** A row of a table of matches. `now` is the file of the resume, if it was edited. */
export interface Row {
  readonly name: string;
  readonly before: Before;
  readonly now?: object;
  readonly choices?: Choices;
  readonly expected: Shown;
}

/** A summary of a match: the state of each command by its path, and every other field that is not empty. */
export interface Shown {
  readonly steps: Readonly<Record<string, string>>;
  readonly conditions?: Readonly<Record<string, string>>;
  readonly conflicts?: readonly string[];
  readonly questions?: readonly string[];
  readonly refusals?: readonly string[];
  readonly gone?: readonly string[];
}

/** Matches the record of a previous run to another file. */
export function resumed(before: Before, file: object, choices: Choices = {}, params: readonly Variable[] = []): Shown {
  const plan = compiled(JSON.stringify(file), 'ci', params);
  const names = namePaths(plan);
  const commands = [...names].filter(([index]) => at(plan.ops, index).kind === 'run');
  const indexes = new Map(commands.map(([index, path]) => [path, index]));
  const { done = [], rerun = [], onCrash = 'ask', ...rest } = choices;
  const indexOf = (path: string): number => indexes.get(path) ?? -1;
  const found = decideStates(plan, historyOf(before), {
    changed: 'ask',
    unrecorded: 'ask',
    selected: null,
    ...rest,
    onCrash: () => onCrash,
    done: new Set(done.map(indexOf)),
    rerun: new Set(rerun.map(indexOf)),
  });
  return shown(found, (index) => names.get(index) ?? `op ${index}`);
}

function shown(found: ResumeStates, nameOf: (index: number) => string): Shown {
  const list = (indexes: readonly number[]): string[] => indexes.map(nameOf);
  const all = {
    conditions: Object.fromEntries(
      [...found.conditions].map(([index, state]) => [nameOf(index), conditionWords(state)]),
    ),
    conflicts: list(found.conflicts),
    questions: list(found.questions),
    refusals: found.refusals.map((each) => `${each.kind} ${nameOf(each.op)}`),
    gone: found.gone.map(({ name, print }) => `${name}: ${print.command}`),
  };
  const full = Object.entries(all).filter(([, value]) => Object.keys(value).length > 0);
  const steps = Object.fromEntries([...found.steps].map(([index, state]) => [nameOf(index), words(state)]));
  return { steps, ...Object.fromEntries(full) };
}

function conditionWords(
  state: ResumeStates['conditions'] extends ReadonlyMap<number, infer State> ? State : never,
): string {
  if (state.kind === 'decided') return state.holds ? 'yes' : 'no';
  return state.kind;
}

function words(state: StepState): string {
  switch (state.kind) {
    case 'kept':
      if (state.moved) return 'kept, moved';
      return ['kept', ...(state.done ? ['done'] : []), ...(state.edited ? ['edited'] : [])].join(' ');
    case 'moved':
      return `moved: ${state.from.name}`;
    case 'changed':
      return `changed: ${state.changes.map((change) => (change.kind === 'variable' ? change.name : change.kind)).join(', ')}`;
    case 'unknown':
      return `unknown, ${state.because}: ${state.onCrash}`;
    case 'lost output':
      return `lost output ${state.output}`;
    case 'not selected':
    case 'run':
    case 'again':
    case 'restored':
    case 'started':
    case 'not needed':
    case 'new':
    case 'out of order':
    case 'skipped':
      return state.kind;
    default:
      return state;
  }
}
