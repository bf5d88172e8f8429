import { at, isWorkflowHook, type Plan } from '../../ir/plan.ts';
import { createChangedVariables } from '../../ir/resume/changed_variables.ts';
import type { Progress } from '../../ir/resume/history.ts';
import type { ConditionState, ConflictState, ResumeStates, StepState } from '../../ir/resume/resume_states.ts';
import type { FingerprintChange } from '../../ir/steps/identity.ts';
import { namePaths } from '../../ir/steps/resolve_step.ts';
import { shellWord } from '../../base/shell_word.ts';

/** The question about a step whose end is unknown. */
export type Question = Readonly<{ op: number; path: string; text: string }>;

/** The plan of a resumed run, as lines of text and as a document. */
export type ResumePlan = Readonly<{
  lines: readonly string[];
  document: object;
  /** Notes about the kept steps. */
  notes: readonly string[];
  /** Error messages about conflicts, with ways to resolve them. */
  problems: readonly string[];
  /** The questions about steps whose end is unknown; empty while there are conflicts. */
  questions: readonly Question[];
}>;

/** Describes the plan of a resumed run. */
export function resumePlan(plan: Plan, run: string, states: ResumeStates): ResumePlan {
  const paths = namePaths(plan);
  const pathOf = (op: number): string => paths.get(op) ?? String(op);
  const changedVariables = createChangedVariables(plan);
  const steps = [...states.steps].map(([index, state]) => {
    const op = at(plan.ops, index);
    const print = states.prints.get(index);
    if (op.kind !== 'run' || print === undefined) throw new Error('a step that is no command');
    const shown = conditionConflict(plan, states, index) ?? describeState(state);
    const isKept = state.kind === 'kept' && shown.state === 'kept';
    const changed = isKept ? changedVariables(state.record, op, print) : [];
    const reason = changed.length === 0 ? shown.reason : `${shown.reason} (${describeChanged(changed)})`;
    const { sign, state: word } = shown;
    return { name: op.name, command: op.command, path: pathOf(index), sign, state: word, reason, changed };
  });
  const gone = states.gone.map(({ name, print }) => ({ name, command: print.command }));
  const problems = [...conflictLines(states, pathOf), ...questionLines(states, pathOf)];
  const header = `run ${run} of workflow ${plan.workflow}`;
  return {
    lines: [
      header,
      ...steps.map(({ sign, path, state, reason }) => `  ${sign} ${path}  ${stateText(state, reason)}`),
      ...states.gone.map(({ name, progress }) => `  x ${name}  is no longer in the file, but ${progressOf(progress)}`),
    ],
    document: {
      workflow: plan.workflow,
      run,
      dry_run: true,
      steps: steps.map(({ name, command, state, reason, changed }) => ({
        name,
        command,
        state,
        reason,
        changed_variables: changed.length === 0 ? undefined : changed,
      })),
      gone: gone.length === 0 ? undefined : gone,
      can_resume: problems.length === 0,
    },
    notes: [...states.hooks].flatMap(([index, state]) => (state.undoes ? describeUndone(plan, index) : [])),
    problems,
    questions: states.conflicts.length > 0 ? [] : questionsOf(states, pathOf),
  };
}

function describeUndone(plan: Plan, hook: number): string {
  const op = at(plan.ops, hook);
  const workflow = isWorkflowHook(op) ? at(plan.calls, op.call).workflow : '';
  return `the 'finally' of workflow '${workflow}' has run; its finished steps are not repeated (--rerun STEP repeats one, "on_resume": "rerun" in the file always)`;
}

type ShownState = Readonly<{ sign: string; state: string; reason: string | undefined }>;

/** The recorded facts about a step that is no longer in the file. */
function progressOf(progress: Progress): string {
  return progress.kind === 'unknown' ? DOUBT[progress.because] : 'has run';
}

/** Maximum number of variables named in a line. */
const NAMED = 3;

/** Names variables that have changed since a kept step finished, and that its command does not mention. */
function describeChanged(names: readonly string[]): string {
  const shown = names.length > NAMED + 1 ? [...names.slice(0, NAMED), `${names.length - NAMED} others`] : names;
  const list = [shown.slice(0, -1).join(', '), ...shown.slice(-1)].filter((text) => text !== '').join(' and ');
  return `${list} ${names.length === 1 ? 'has' : 'have'} changed since`;
}

const CONFLICTS: ReadonlySet<string> = new Set(['changed', 'new', 'out of order', 'lost output', 'moved']);

function isConflict(state: StepState | undefined): state is ConflictState {
  return state !== undefined && CONFLICTS.has(state.kind);
}

function stateText(state: string, reason: string | undefined): string {
  if (CONFLICTS.has(state)) return `CONFLICT: ${reason}`;
  return reason === undefined ? state : `${state}: ${reason}`;
}

function describeState(state: StepState): ShownState {
  const shown = (sign: string, reason?: string): ShownState => ({ sign, state: state.kind, reason });
  switch (state.kind) {
    case 'kept':
      return shown('=', keptReason(state));
    case 'run':
    case 'again':
      return shown('>');
    case 'restored':
      return { sign: '+', state: 'run again', reason: 'on_resume' };
    case 'started':
      return { sign: '+', state: 'started again', reason: state.before === null ? undefined : `for '${state.before}'` };
    case 'not needed':
      return shown('-', 'no later step of its workflow runs');
    case 'skipped':
      return shown('-', SKIPPED[state.by]);
    case 'not selected':
      return shown('-', state.finished === null ? undefined : 'finished');
    case 'unknown':
      return shown('?', DOUBT[state.because]);
    case 'changed':
    case 'new':
    case 'out of order':
    case 'lost output':
    case 'moved':
      return shown('!', conflictReason(state));
  }
}

const SKIPPED = {
  variable: 'its condition did not hold',
  command: 'its condition did not hold',
  stale: 'it was up to date, or not touched since a revision',
  first: 'its workflow runs once, in an equal call',
} as const;

function keptReason({ done, edited, moved }: StepState & { kind: 'kept' }): string {
  if (done) return 'counts as finished';
  if (moved) return 'finished, moved';
  return edited ? 'finished, and edited since' : 'finished';
}

const DOUBT = {
  killed: 'was running when the run was killed',
  interrupted: 'exited with 0 after the run was interrupted',
} as const;

function conflictReason(state: ConflictState): string {
  switch (state.kind) {
    case 'changed':
      return `${describeChanges(state.changes)} changed since it finished`;
    case 'new':
      return 'it has not run, but steps after it have finished';
    case 'out of order':
      return 'it failed, but steps after it have finished';
    case 'lost output':
      return `a later step reads its output ${state.output}, which ${state.isSecret ? 'is secret and was not recorded' : 'it did not have when it finished'}`;
    case 'moved':
      return `it may be step '${state.from.name}', which ran in another place`;
  }
}

const CHANGED = {
  command: 'its command',
  dir: 'its dir',
  outputs: 'its outputs',
  copies: 'the number of secret values in its matrix',
} as const;

function describeChanges(changes: readonly FingerprintChange[]): string {
  return changes
    .map((change) => (change.kind === 'variable' ? `the value of ${change.name}` : CHANGED[change.kind]))
    .join(', ');
}

/** The conflict of a condition is shown at the first step that it guards. */
function conditionConflict(plan: Plan, { conditions }: ResumeStates, step: number): ShownState | undefined {
  let index = step - 1;
  for (; plan.ops[index]?.kind === 'condition'; index -= 1) {
    const state = conditions.get(index);
    if (state?.kind === 'changed') return { sign: '!', state: 'changed', reason: conditionReason(state) };
  }
  return undefined;
}

function conditionReason({ changes }: ConditionState & { kind: 'changed' }): string {
  const [first] = changes;
  const what = first?.kind === 'command' ? 'its condition' : `of its condition, ${describeChanges(changes)}`;
  return `${what} changed since it was decided`;
}

function conflictLines(states: ResumeStates, pathOf: (op: number) => string): readonly string[] {
  if (states.conflicts.length === 0) return [];
  const conflicts = states.conflicts.map((index) => ({ path: pathOf(index), state: states.steps.get(index), index }));
  const lines = conflicts.map(({ path, state, index }) => {
    const condition = states.conditions.get(index);
    const reason =
      condition?.kind === 'changed' ? conditionReason(condition) : isConflict(state) ? conflictReason(state) : '';
    return `conflict: step '${path}': ${reason}`;
  });
  const lost = conflicts
    .filter(({ state }) => state?.kind === 'lost output')
    .map(({ path }) => `--rerun ${shellWord(path)}`);
  const isOnlyLost = lost.length === conflicts.length;
  const moved = conflicts.filter(({ state }) => state?.kind === 'moved').map(({ path }) => `--done ${shellWord(path)}`);
  const kept = moved.length > 0 ? 'finished steps and run those that may have moved' : 'finished steps';
  return [
    ...lines,
    ...(lost.length > 0 ? [`to produce a missing output, add ${lost.join(' ')}`] : []),
    ...(isOnlyLost
      ? []
      : [
          ...(moved.length > 0 ? [`to count moved steps as finished, add ${moved.join(' ')}`] : []),
          `to keep ${kept}, add --changed keep`,
          'to run everything from the first conflict on again, add --changed rerun',
        ]),
  ];
}

function questionsOf(states: ResumeStates, pathOf: (op: number) => string): readonly Question[] {
  return states.questions.map((op) => {
    const state = states.steps.get(op);
    const because = state?.kind === 'unknown' ? state.because : 'killed';
    return {
      op,
      path: pathOf(op),
      text: `step '${pathOf(op)}' ${DOUBT[because]}; it is not known whether it finished`,
    };
  });
}

function questionLines(states: ResumeStates, pathOf: (op: number) => string): readonly string[] {
  return questionsOf(states, pathOf).flatMap(({ path, text }) => [
    text,
    `to run it again, add --on-crash rerun; if it has finished, add --done ${shellWord(path)}`,
  ]);
}
