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
    const matched = new Decider(plan, known, choices, rerunFrom).decide(history);
    const [first] = matched.conflicts;
    if (choices.changed !== 'rerun' || first === undefined) return matched;
    // An op that runs again may need an unrecorded output of a kept step, so everything from the conflict on runs
    // again.
    rerunFrom = first;
  }
}

class Decider {
  readonly #plan: Plan;
  readonly #secrets: ReadonlySet<string>;
  readonly #known: MatchedOps;
  readonly #choices: ResumeChoices;
  /** All ops from this one on run again. */
  readonly #rerunFrom: number;
  /** Whether any finished command that is not to run again comes after an op. */
  readonly #isBeforeFinished: (op: number) => boolean;
  readonly #steps = new Map<number, StepState>();
  readonly #conditions = new Map<number, ConditionState>();
  readonly #refusals: Refusal[] = [];

  constructor(plan: Plan, known: MatchedOps, choices: ResumeChoices, rerunFrom: number) {
    this.#plan = plan;
    this.#secrets = new Set(listedSecrets(plan));
    this.#known = known;
    this.#choices = choices;
    this.#rerunFrom = rerunFrom;
    this.#isBeforeFinished = finishedAfter(plan, (index) => {
      const op = at(plan.ops, index);
      return op.kind === 'run' && !isInBackground(op) && !this.#isAgain(index) && this.#finished(op, index) !== null;
    });
  }

  decide(history: History): ResumeStates {
    /** The end of the ops that a condition skips, and the kind of its test. */
    let [skippedTo, skippedBy]: readonly [number, Test['kind']] = [0, 'variable'];
    for (const [index, op] of this.#plan.ops.entries()) {
      if (op.kind === 'condition') {
        const state = this.#condition(index, op.target);
        this.#conditions.set(index, state);
        const isSkipping = state.kind === 'decided' && !state.holds && op.target > skippedTo;
        if (isSkipping) [skippedTo, skippedBy] = [op.target, op.test.kind];
      } else if (op.kind === 'run') {
        this.#steps.set(index, this.#step(op, index, index < skippedTo ? skippedBy : undefined));
      }
    }
    this.#restore();
    this.#settleConditions();
    const isSelected = (index: number): boolean => this.#isSelected(index);
    const { ids, prints, gone, steps: records, candidates, undecided, decisions } = this.#known;
    const decided = { ids, steps: this.#steps, conditions: this.#conditions, isSelected };
    const hooks = decideHooks(this.#plan, history, decided);
    const isToRun = (op: Op, index: number): boolean => hooks.get(index)?.runs ?? this.#isToRun(op, index);
    const { done, rerun, unrecorded } = this.#choices;
    if (unrecorded === 'ask') for (const read of lostReads(this.#plan, isToRun, this.#steps)) this.#lose(read);
    for (const named of [done, rerun]) {
      const [first] = named;
      const isAlone = [...named].every((op) => isInBackground(at(this.#plan.ops, op)));
      if (first !== undefined && isAlone) this.#refusals.push({ kind: 'starts by itself', op: first });
    }
    const ends = (op: number): boolean => !isInBackground(at(this.#plan.ops, op));
    for (const op of done) if (ends(op) && !this.#isInDoubt(op)) this.#refusals.push({ kind: 'not in doubt', op });
    for (const op of rerun) if (ends(op) && !isSelected(op)) this.#refusals.push({ kind: 'rerun but left out', op });
    const states = [...this.#conditions, ...this.#steps].toSorted(([one], [other]) => one - other);
    return {
      ids,
      records: { steps: records, candidates, undecided, decisions },
      prints,
      steps: this.#steps,
      conditions: this.#conditions,
      hooks,
      conflicts: states.flatMap(([index, { kind }]) => (CONFLICTS.has(kind) ? index : [])),
      questions: states.flatMap(([index, state]) => (state.kind === 'unknown' && state.onCrash === 'ask' ? index : [])),
      refusals: this.#refusals,
      gone,
    };
  }

  #step(op: RunOp, index: number, skippedBy: Test['kind'] | undefined): StepState {
    const candidate = this.#known.candidates.get(index);
    const record = this.#known.steps.get(index) ?? candidate;
    const finished = this.#finished(op, index);
    const isSelected = this.#isSelected(index);
    if (isInBackground(op))
      return skippedBy === undefined ? { kind: 'not needed' } : { kind: 'skipped', by: skippedBy };
    if (isSelected && this.#isAgain(index))
      return { kind: record?.progress.kind !== 'finished' && record?.progress.kind !== 'unknown' ? 'run' : 'again' };
    if (record !== undefined && finished !== null) {
      const done = this.#isDone(index);
      const changes = this.#changes(record.print, index);
      const edited = changes.length > 0;
      const moved = this.#known.moved.has(index);
      const isKept = !edited || done || (isSelected && this.#choices.changed === 'keep');
      if (isKept) return { kind: 'kept', finished, record, done, edited, moved };
      return isSelected ? { kind: 'changed', changes } : { kind: 'not selected', finished };
    }
    if (!isSelected) return { kind: 'not selected', finished: null };
    if (skippedBy !== undefined) return { kind: 'skipped', by: skippedBy };
    if (candidate !== undefined) {
      return this.#choices.changed === 'keep' ? { kind: 'again' } : { kind: 'moved', from: candidate };
    }
    const progress = record?.progress.kind ?? 'none';
    if (record?.progress.kind === 'unknown') {
      return { kind: 'unknown', because: record.progress.because, onCrash: this.#choices.onCrash(op) };
    }
    if (!this.#isBeforeFinished(index) || record?.wanted === true || this.#choices.changed === 'keep') {
      return { kind: 'run' };
    }
    return { kind: progress === 'none' ? 'new' : 'out of order' };
  }

  #condition(index: number, target: number): ConditionState {
    // The condition of a call around the selected part counts as met. Outside of the part, the state has no effect.
    if (!this.#isSelected(index)) return { kind: 'decided', holds: true };
    const decision = this.#known.decisions.get(index);
    if (decision === undefined || decision.holds === null || this.#isDroppedDecision(decision, index, target)) {
      return { kind: 'test' };
    }
    const changes = this.#changes(decision.print, index);
    // A check is made again for a step that is still to run, or that has changed.
    if (isCheck(at(this.#plan.ops, index))) {
      const isKept = !decision.holds && changes.length === 0;
      return isKept ? { kind: 'decided', holds: false, outputs: decision.outputs } : { kind: 'test' };
    }
    if (changes.length === 0 || this.#choices.changed === 'keep') return { kind: 'decided', holds: decision.holds };
    return this.#isBeforeFinished(index) ? { kind: 'changed', changes } : { kind: 'test' };
  }

  /** Whether the user requests a step behind a condition, or a part that contains the condition, to run again. */
  #isDroppedDecision({ holds }: Decision, index: number, target: number): boolean {
    if (index >= this.#rerunFrom || this.#choices.selected?.again === true) return true;
    if (holds !== false) return false;
    for (let guarded = index + 1; guarded < target; guarded += 1) {
      if (this.#choices.rerun.has(guarded)) return true;
    }
    return false;
  }

  /** Finished steps with `on_resume`, and steps in the background, run again if a later step of their execution does. */
  #restore(): void {
    /** The last step that runs. */
    let last = -1;
    for (const [index, state] of [...this.#steps].toReversed()) {
      const op = at(this.#plan.ops, index);
      if (op.kind !== 'run') continue;
      const isRestored = state.kind === 'kept' && !state.done && op.options.onResume === 'rerun';
      if (isRestored && this.#isSelected(index) && last !== -1 && last < at(this.#plan.calls, op.call).end) {
        this.#steps.set(index, { kind: 'restored' });
      }
      if (isInBackground(op) && state.kind === 'not needed') this.#start(op, index, last);
      if (this.#isToRun(op, index)) last = index;
    }
  }

  /** Starts a step in the background before the step `last`, unless that belongs to another execution. */
  #start(op: RunOp, index: number, last: number): void {
    const later = last < at(this.#plan.calls, op.call).end ? this.#plan.ops[last] : undefined;
    const record = this.#known.steps.get(index);
    const before = later?.kind === 'run' ? later.name : null;
    // A step without later ones runs to its end once, and if it is the last one of the selected part.
    const isLast = this.#choices.selected?.end === index + 1;
    const isOpen = this.#isSelected(index) && (isLast || record?.progress.kind !== 'finished');
    if (before === null && !isOpen) return;
    this.#steps.set(index, record === undefined ? { kind: 'run' } : { kind: 'started', before });
  }

  /** Skips the test of a condition that guards only kept steps. */
  #settleConditions(): void {
    for (const [index, { kind }] of this.#conditions) {
      const op = at(this.#plan.ops, index);
      if (kind !== 'test' || op.kind !== 'condition') continue;
      const kinds = new Set<StepState['kind'] | undefined>();
      for (let guarded = index + 1; guarded < op.target; guarded += 1) {
        if (at(this.#plan.ops, guarded).kind === 'run') kinds.add(this.#steps.get(guarded)?.kind);
      }
      const isSettled = kinds.has('kept') && [...kinds].every((each) => each === 'kept' || each === 'skipped');
      if (isSettled) this.#conditions.set(index, { kind: 'decided', holds: true });
    }
  }

  #isToRun(op: Op, index: number): boolean {
    switch (op.kind) {
      case 'hook':
        return true;
      case 'parallel':
      case 'stop':
        return false;
      case 'condition':
        return this.#conditions.get(index)?.kind === 'test';
      case 'run': {
        const state = this.#steps.get(index);
        return state?.kind === 'unknown' ? state.onCrash !== 'fail' : TO_RUN.has(state?.kind);
      }
    }
  }

  #lose({ from, output, by, isSecret }: LostRead): void {
    const state = this.#steps.get(from);
    if (state?.kind === 'not selected') this.#refusals.push({ kind: 'left out but read', op: by, from });
    else if (state?.kind === 'kept' && state.done) this.#refusals.push({ kind: 'done but read', op: from });
    else this.#steps.set(from, { kind: 'lost output', output, isSecret });
  }

  #finished(op: RunOp, index: number): FinishedStep | null {
    if (this.#isDone(index)) return VOUCHED;
    const progress = this.#known.steps.get(index)?.progress;
    return progress?.kind === 'finished' && (!progress.failed || op.options.allowFailure) ? progress : null;
  }

  /** Whether `--done` names a step that failed, whose end is unknown, or that may have moved. */
  #isDone(index: number): boolean {
    return this.#choices.done.has(index) && this.#isInDoubt(index);
  }

  #isInDoubt(index: number): boolean {
    const kind = this.#known.steps.get(index)?.progress.kind;
    return kind === 'unknown' || kind === 'failed' || this.#known.candidates.has(index);
  }

  #isAgain(index: number): boolean {
    const { rerun, selected } = this.#choices;
    return index >= this.#rerunFrom || rerun.has(index) || (selected?.again === true && this.#isSelected(index));
  }

  #isSelected(index: number): boolean {
    const { selected } = this.#choices;
    return selected === null || (index >= selected.start && index < selected.end);
  }

  /** The changes of a command. A variable that is a declared secret by now counts as none. */
  #changes(before: Fingerprint, index: number): readonly FingerprintChange[] {
    const changes = fingerprintChanges(before, this.#print(index));
    return changes.filter((each) => each.kind !== 'variable' || !this.#secrets.has(each.name));
  }

  #print(index: number): Fingerprint {
    const print = this.#known.prints.get(index);
    if (print === undefined) throw new Error(`op ${index} has no print`);
    return print;
  }
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
