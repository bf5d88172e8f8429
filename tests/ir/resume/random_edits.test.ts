/* Random edits that move steps, between a run and its resume. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan } from '../../../src/ir/plan.ts';
import { decideStates } from '../../../src/ir/resume/decide_states.ts';
import type { History } from '../../../src/ir/resume/history.ts';
import type { ResumeChoices, ResumeStates } from '../../../src/ir/resume/resume_states.ts';
import { namePaths } from '../../../src/ir/steps/resolve_step.ts';
import { foldHistory } from '../../../src/records/journal/fold_history.ts';
import { resumeLines } from '../../../src/records/journal/resume_records.ts';
import { parseLine } from '../../../src/records/journal/record.ts';
import { compiled } from '../../support/plans.ts';
import { caseNumbers } from '../../support/random/fuzzing.ts';
import { random, type Random } from '../../support/random/random.ts';
import { historyOf, type StepFate } from '../../support/runs/history.ts';
import { end, start } from '../../support/runs/journal.ts';
import { randomlyEdited, randomSteps, writtenSteps } from '../../support/runs/random_edits.ts';

const ASK: ResumeChoices = {
  changed: 'ask',
  unrecorded: 'ask',
  onCrash: () => 'ask',
  done: new Set(),
  rerun: new Set(),
  selected: null,
};

/** A run that failed or was killed in one of its steps. Some steps after it have finished, as in a group. */
function randomFates(plan: Plan, random: Random): Record<string, StepFate> {
  const steps = [...namePaths(plan)];
  const last = random.below(steps.length);
  const fates: Record<string, StepFate> = {};
  for (const [index, [, path]] of steps.entries()) {
    if (index === last) fates[path] = random.pick(['failed', 'killed'] as const);
    else if (random.chance(index < last ? 0.95 : 0.1)) fates[path] = 'finished';
  }
  return fates;
}

/** A run, and the plan of the edited file. */
type Edited = Readonly<{ history: History; plan: Plan; files: string }>;

/** The first cases, which all tests use, and which take longer to make than to check. */
const made = new Map<number, Edited>();

function edited(seed: number): Edited {
  const known = made.get(seed) ?? newlyEdited(seed);
  if (seed < 400) made.set(seed, known);
  return known;
}

function newlyEdited(seed: number): Edited {
  const choices = random(seed);
  const before = randomSteps(choices);
  const [old, recent] = [before, randomlyEdited(before, choices)].map((file) => writtenSteps(file));
  assert.ok(old !== undefined && recent !== undefined);
  const steps = randomFates(compiled(JSON.stringify(old), 'ci'), choices);
  const plan = compiled(JSON.stringify(recent), 'ci');
  const files = [old, steps, recent].map((part) => JSON.stringify(part)).join('\n');
  return { history: historyOf({ file: old, steps }), plan, files };
}

function tally(commands: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const command of commands) counts.set(command, (counts.get(command) ?? 0) + 1);
  return counts;
}

/** The commands of the steps in some states. */
function commandsIn(plan: Plan, { steps }: ResumeStates, isWanted: (kind: string) => boolean): readonly string[] {
  return [...steps].flatMap(([index, { kind }]) => {
    const op = plan.ops[index];
    return op?.kind === 'run' && isWanted(kind) ? op.command : [];
  });
}

/** Commands that run, although as many steps with them have run as the plan has. */
function repeated(plan: Plan, history: History, states: ResumeStates): readonly string[] {
  const ran = history.steps.filter(({ progress: { kind } }) => kind === 'finished' || kind === 'unknown');
  const before = tally(ran.map(({ print }) => print.command));
  const all = tally(commandsIn(plan, states, () => true));
  const starting = tally(commandsIn(plan, states, (kind) => kind === 'run' || kind === 'again'));
  return [...before.keys()].filter((key) => (starting.get(key) ?? 0) + (before.get(key) ?? 0) > (all.get(key) ?? 0));
}

test('a step that ran before an edit that moves it does not run again without a decision', () => {
  let kept = 0;
  for (const seed of caseNumbers(400)) {
    const { history, plan, files } = edited(seed);
    const states = decideStates(plan, history, ASK);
    kept += [...states.steps.values()].filter((state) => state.kind === 'kept' && state.moved).length;
    if (states.conflicts.length + states.questions.length > 0) continue;
    assert.deepEqual([repeated(plan, history, states), states.gone], [[], []], `seed ${seed}\n${files}`);
  }
  assert.ok(kept > 100, `${kept} moved steps were kept`);
});

test('with --changed keep, only a step that may be another one than the finished one runs its command again', () => {
  let compared = 0;
  for (const seed of caseNumbers(400)) {
    const { history, plan, files } = edited(seed);
    const kinds = [...decideStates(plan, history, ASK).steps.values()].map(({ kind }) => kind);
    if (kinds.includes('moved') || !kinds.some((kind) => kind === 'changed' || kind === 'new')) continue;
    const states = decideStates(plan, history, { ...ASK, changed: 'keep' });
    assert.deepEqual(repeated(plan, history, states), [], `seed ${seed}\n${files}`);
    compared += 1;
  }
  assert.ok(compared > 50, `${compared} edits had conflicts`);
});

/** The first session of a run with this history. */
function recorded({ steps }: History): Parameters<typeof foldHistory>[0][number] {
  const records = steps.flatMap(({ id, name, print, progress }, n) => {
    const begun = start(n, name, { id, print });
    return progress.kind === 'unknown' ? [begun] : [begun, end(n, progress.kind === 'failed' ? 1 : 0)];
  });
  return { header: { params: [] }, records };
}

function keptSteps({ steps }: ResumeStates): readonly number[] {
  return [...steps].flatMap(([index, { kind }]) => (kind === 'kept' ? index : []));
}

test('a resume with --changed keep that ended before its first step is resumed without a new conflict', () => {
  for (const seed of caseNumbers(200)) {
    const { history, plan, files } = edited(seed);
    const first = recorded(history);
    const { questions } = decideStates(plan, foldHistory([first]), ASK);
    const states = decideStates(plan, foldHistory([first]), { ...ASK, changed: 'keep', rerun: new Set(questions) });
    const records = resumeLines(plan, states)
      .split('\n')
      .slice(0, -1)
      .flatMap((line) => {
        const parsed = parseLine(Buffer.from(line));
        return parsed.kind === 'record' ? parsed.record : [];
      });
    const again = decideStates(plan, foldHistory([first, { header: { params: [] }, records }]), ASK);
    assert.deepEqual([again.conflicts, keptSteps(again)], [[], keptSteps(states)], `seed ${seed}\n${files}`);
  }
});
