import { isInBackground, isCheck } from '../ops.ts';
import { at, type Op, type Plan, type RunOp, type Test } from '../plan.ts';
import { listedSecrets } from '../secret_names.ts';
import { fingerprintChanges, type Fingerprint, type FingerprintChange } from '../steps/identity.ts';
import { decideHooks } from './decide_hooks.ts';
import { finishedAfter } from './finished_after.ts';
import { matchOps, type MatchedOps } from './match_ops.ts';
import { VOUCHED, type Decision, type FinishedStep, type History } from './history.ts';
import { lostReads, type LostRead } from './lost_reads.ts';
import type { ConditionState, Refusal, ResumeStates, ResumeChoices, StepState } from './resume_states.ts';

/** Decides what a resume does with each op: keep it, run it, ask or refuse. The file may have been edited since the run. */
export function decideStates(plan: Plan, history: History, choices: ResumeChoices): ResumeStates {
  const known = matchOps(plan, history);
  for (let rerunFrom = Infinity; ;) {
    const matched = decideFrom(rerunFrom, plan, history, known, choices);
    const [first] = matched.conflicts;
    if (choices.changed !== 'rerun' || first === undefined) return matched;
    // An op that runs again may need an unrecorded output of a kept step, so everything from the conflict on runs
    // again.
    rerunFrom = first;
  }
}

/** Decides the states of the ops if all from one on run again. */
function decideFrom(
  rerunFrom: number,
  plan: Plan,
  history: History,
  known: MatchedOps,
  choices: ResumeChoices,
): ResumeStates {
  const steps = new Map<number, StepState>();
  const conditions = new Map<number, ConditionState>();
  const refusals: Refusal[] = [];

  const secrets: ReadonlySet<string> = new Set(listedSecrets(plan));
  /** Whether any finished command that is not to run again comes after an op. */
  const isBeforeFinished: (op: number) => boolean = finishedAfter(plan, (index) => {
    const op = at(plan.ops, index);
    return op.kind === 'run' && !isInBackground(op) && !isAgain(index) && finishedAt(op, index) !== null;
  });

  function stepState(op: RunOp, index: number, skippedBy: Test['kind'] | undefined): StepState {
    const candidate = known.candidates.get(index);
    const record = known.steps.get(index) ?? candidate;
    const finished = finishedAt(op, index);
    const isSelected = isChosen(index);
    if (isInBackground(op))
      return skippedBy === undefined ? { kind: 'not needed' } : { kind: 'skipped', by: skippedBy };
    if (isSelected && isAgain(index))
      return { kind: record?.progress.kind !== 'finished' && record?.progress.kind !== 'unknown' ? 'run' : 'again' };
    if (record !== undefined && finished !== null) {
      const done = isDone(index);
      const changes = changesOf(record.print, index);
      const edited = changes.length > 0;
      const moved = known.moved.has(index);
      const isKept = !edited || done || (isSelected && choices.changed === 'keep');
      if (isKept) return { kind: 'kept', finished, record, done, edited, moved };
      return isSelected ? { kind: 'changed', changes } : { kind: 'not selected', finished };
    }
    if (!isSelected) return { kind: 'not selected', finished: null };
    if (skippedBy !== undefined) return { kind: 'skipped', by: skippedBy };
    if (candidate !== undefined) {
      return choices.changed === 'keep' ? { kind: 'again' } : { kind: 'moved', from: candidate };
    }
    const progress = record?.progress.kind ?? 'none';
    if (record?.progress.kind === 'unknown') {
      return { kind: 'unknown', because: record.progress.because, onCrash: choices.onCrash(op) };
    }
    if (!isBeforeFinished(index) || record?.wanted === true || choices.changed === 'keep') {
      return { kind: 'run' };
    }
    return { kind: progress === 'none' ? 'new' : 'out of order' };
  }

  function conditionState(index: number, target: number): ConditionState {
    // The condition of a call around the selected part counts as met. Outside of the part, the state has no effect.
    if (!isChosen(index)) return { kind: 'decided', holds: true };
    const decision = known.decisions.get(index);
    if (decision === undefined || decision.holds === null || isDroppedDecision(decision, index, target)) {
      return { kind: 'test' };
    }
    const changes = changesOf(decision.print, index);
    // A check is made again for a step that is still to run, or that has changed.
    if (isCheck(at(plan.ops, index))) {
      const isKept = !decision.holds && changes.length === 0;
      return isKept ? { kind: 'decided', holds: false, outputs: decision.outputs } : { kind: 'test' };
    }
    if (changes.length === 0 || choices.changed === 'keep') return { kind: 'decided', holds: decision.holds };
    return isBeforeFinished(index) ? { kind: 'changed', changes } : { kind: 'test' };
  }

  /** Whether the user requests a step behind a condition, or a part that contains the condition, to run again. */
  function isDroppedDecision({ holds }: Decision, index: number, target: number): boolean {
    if (index >= rerunFrom || choices.selected?.again === true) return true;
    if (holds !== false) return false;
    for (let guarded = index + 1; guarded < target; guarded += 1) {
      if (choices.rerun.has(guarded)) return true;
    }
    return false;
  }

  /** Finished steps with `on_resume`, and steps in the background, run again if a later step of their execution does. */
  function restore(): void {
    /** The last step that runs. */
    let last = -1;
    for (const [index, state] of [...steps].toReversed()) {
      const op = at(plan.ops, index);
      if (op.kind !== 'run') continue;
      const isRestored = state.kind === 'kept' && !state.done && op.options.onResume === 'rerun';
      if (isRestored && isChosen(index) && last !== -1 && last < at(plan.calls, op.call).end) {
        steps.set(index, { kind: 'restored' });
      }
      if (isInBackground(op) && state.kind === 'not needed') start(op, index, last);
      if (isOpToRun(op, index)) last = index;
    }
  }

  /** Starts a step in the background before the step `last`, unless that belongs to another execution. */
  function start(op: RunOp, index: number, last: number): void {
    const later = last < at(plan.calls, op.call).end ? plan.ops[last] : undefined;
    const record = known.steps.get(index);
    const before = later?.kind === 'run' ? later.name : null;
    // A step without later ones runs to its end once, and if it is the last one of the selected part.
    const isLast = choices.selected?.end === index + 1;
    const isOpen = isChosen(index) && (isLast || record?.progress.kind !== 'finished');
    if (before === null && !isOpen) return;
    steps.set(index, record === undefined ? { kind: 'run' } : { kind: 'started', before });
  }

  /** Skips the test of a condition that guards only kept steps. */
  function settleConditions(): void {
    for (const [index, { kind }] of conditions) {
      const op = at(plan.ops, index);
      if (kind !== 'test' || op.kind !== 'condition') continue;
      const kinds = new Set<StepState['kind'] | undefined>();
      for (let guarded = index + 1; guarded < op.target; guarded += 1) {
        if (at(plan.ops, guarded).kind === 'run') kinds.add(steps.get(guarded)?.kind);
      }
      const isSettled = kinds.has('kept') && [...kinds].every((each) => each === 'kept' || each === 'skipped');
      if (isSettled) conditions.set(index, { kind: 'decided', holds: true });
    }
  }

  function isOpToRun(op: Op, index: number): boolean {
    switch (op.kind) {
      case 'hook':
        return true;
      case 'parallel':
      case 'stop':
        return false;
      case 'condition':
        return conditions.get(index)?.kind === 'test';
      case 'run': {
        const state = steps.get(index);
        return state?.kind === 'unknown' ? state.onCrash !== 'fail' : TO_RUN.has(state?.kind);
      }
    }
  }

  function lose({ from, output, by, isSecret }: LostRead): void {
    const state = steps.get(from);
    if (state?.kind === 'not selected') refusals.push({ kind: 'left out but read', op: by, from });
    else if (state?.kind === 'kept' && state.done) refusals.push({ kind: 'done but read', op: from });
    else steps.set(from, { kind: 'lost output', output, isSecret });
  }

  function finishedAt(op: RunOp, index: number): FinishedStep | null {
    if (isDone(index)) return VOUCHED;
    const progress = known.steps.get(index)?.progress;
    return progress?.kind === 'finished' && (!progress.failed || op.options.allowFailure) ? progress : null;
  }

  /** Whether `--done` names a step that failed, whose end is unknown, or that may have moved. */
  function isDone(index: number): boolean {
    return choices.done.has(index) && isInDoubt(index);
  }

  function isInDoubt(index: number): boolean {
    const kind = known.steps.get(index)?.progress.kind;
    return kind === 'unknown' || kind === 'failed' || known.candidates.has(index);
  }

  function isAgain(index: number): boolean {
    const { rerun, selected } = choices;
    return index >= rerunFrom || rerun.has(index) || (selected?.again === true && isChosen(index));
  }

  function isChosen(index: number): boolean {
    const { selected } = choices;
    return selected === null || (index >= selected.start && index < selected.end);
  }

  /** The changes of a command. A variable that is a declared secret by now counts as none. */
  function changesOf(before: Fingerprint, index: number): readonly FingerprintChange[] {
    const changes = fingerprintChanges(before, printOf(index));
    return changes.filter((each) => each.kind !== 'variable' || !secrets.has(each.name));
  }

  function printOf(index: number): Fingerprint {
    const print = known.prints.get(index);
    if (print === undefined) throw new Error(`op ${index} has no print`);
    return print;
  }

  /** The end of the ops that a condition skips, and the kind of its test. */
  let [skippedTo, skippedBy]: readonly [number, Test['kind']] = [0, 'variable'];
  for (const [index, op] of plan.ops.entries()) {
    if (op.kind === 'condition') {
      const state = conditionState(index, op.target);
      conditions.set(index, state);
      const isSkipping = state.kind === 'decided' && !state.holds && op.target > skippedTo;
      if (isSkipping) [skippedTo, skippedBy] = [op.target, op.test.kind];
    } else if (op.kind === 'run') {
      steps.set(index, stepState(op, index, index < skippedTo ? skippedBy : undefined));
    }
  }
  restore();
  settleConditions();
  const { ids, prints, gone, steps: records, candidates, undecided, decisions } = known;
  const hooks = decideHooks(plan, history, { ids, steps, conditions, isSelected: isChosen });
  const isToRun = (op: Op, index: number): boolean => hooks.get(index)?.runs ?? isOpToRun(op, index);
  const { done, rerun, unrecorded } = choices;
  if (unrecorded === 'ask') for (const read of lostReads(plan, isToRun, steps)) lose(read);
  for (const named of [done, rerun]) {
    const [first] = named;
    const isAlone = [...named].every((op) => isInBackground(at(plan.ops, op)));
    if (first !== undefined && isAlone) refusals.push({ kind: 'starts by itself', op: first });
  }
  const ends = (op: number): boolean => !isInBackground(at(plan.ops, op));
  for (const op of done) if (ends(op) && !isInDoubt(op)) refusals.push({ kind: 'not in doubt', op });
  for (const op of rerun) if (ends(op) && !isChosen(op)) refusals.push({ kind: 'rerun but left out', op });
  const states = [...conditions, ...steps].toSorted(([one], [other]) => one - other);
  return {
    ids,
    records: { steps: records, candidates, undecided, decisions },
    prints,
    steps,
    conditions,
    hooks,
    conflicts: states.flatMap(([index, { kind }]) => (CONFLICTS.has(kind) ? index : [])),
    questions: states.flatMap(([index, state]) => (state.kind === 'unknown' && state.onCrash === 'ask' ? index : [])),
    refusals,
    gone,
  };
}

const CONFLICTS: ReadonlySet<string> = new Set(['changed', 'new', 'out of order', 'lost output', 'moved']);
const TO_RUN: ReadonlySet<string | undefined> = new Set([
  'run',
  'again',
  'restored',
  'started',
  'new',
  'out of order',
  'moved',
]);
