/*
 * A decision is a result like an end: random runs that fail and crash are resumed until they succeed, with new steps and
 * `--rerun` in between, and with other answers to each question. A model reads the records of the sessions: what was
 * decided, has finished or was cleaned up is not repeated unless the user asks for it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { NO_FLAGS } from '../../src/cli/command_line/flag_values.ts';
import { PlanChecks } from '../../src/backend/checks/plan_checks.ts';
import type { CommandRunner, Exit } from '../../src/backend/command_runner.ts';
import { execute } from '../../src/backend/execute.ts';
import type { KnownOp } from '../../src/backend/run_journal.ts';
import { turn } from '../../src/backend/system/sleep.ts';
import { matchRun } from '../../src/cli/driver/recording/match_run.ts';
import type { Plan } from '../../src/ir/plan.ts';
import { identify, type OpId } from '../../src/ir/steps/identity.ts';
import { namePaths } from '../../src/ir/steps/resolve_step.ts';
import type { RecordedRun } from '../../src/records/journal/journal.ts';
import type { SessionRecord } from '../../src/records/journal/record.ts';
import { resumeLines } from '../../src/records/journal/resume_records.ts';
import { readSession, type SessionContent } from '../../src/records/journal/session_file.ts';
import { SessionRecorder } from '../../src/records/journal/session_recorder.ts';
import { branching } from '../support/random/branching.ts';
import { fuzzing } from '../support/random/fuzzing.ts';
import { command, fileChecks, fileOf, planOf, shapes } from '../support/runs/resumed_plans.ts';
import { header, lines, RUN } from '../support/runs/journal.ts';

/** What the user does before a session, and when it crashes: after so many writes, or not at all. */
const sessions = fc.array(
  fc.record({
    crash: fc.option(fc.nat(20), { nil: Infinity }),
    added: fc.option(fc.tuple(fc.constantFrom('ci', 'v', 'w'), fc.nat(4), command), { nil: undefined, freq: 3 }),
    rerun: fc.option(fc.nat(9), { nil: undefined, freq: 4 }),
    changed: fc.constantFrom<('keep' | 'rerun')[]>('keep', 'keep', 'rerun'),
  }),
  { minLength: 1, maxLength: 5 },
);

/** Answers and exit codes, in the order in which they are asked for. They start again at their end. */
const answers = fc.array(fc.tuple(fc.nat(3), fc.constantFrom(0, 0, 1)), { minLength: 3, maxLength: 12 });

const keyOf = (id: OpId): string => JSON.stringify(id);
const isIn = (id: OpId, outer: OpId): boolean => outer.every((segment, index) => id[index] === segment);

/** What a run has done, by its records. */
class Model {
  readonly #decided = new Map<string, Readonly<{ id: OpId; holds: boolean }>>();
  readonly #finished = new Set<string>();
  /** The executions whose `finally` has succeeded, and that nothing has run in since. */
  readonly #cleaned = new Map<string, OpId>();

  /** There is something to run in the executions around an op. */
  begin(op: OpId): void {
    for (const [key, execution] of this.#cleaned) if (isIn(op, execution)) this.#cleaned.delete(key);
  }

  /** The user asks for a step to run again, which also drops the decisions that skip it. */
  rerun(step: OpId): void {
    this.begin(step);
    this.#finished.delete(keyOf(step));
    for (const [key, { id, holds }] of this.#decided)
      if (!holds && isIn(step, id.slice(0, -1))) this.#decided.delete(key);
  }

  /** Everything with one of these ids runs again. */
  repeat(ids: readonly OpId[]): void {
    for (const id of ids) {
      this.begin(id);
      this.#finished.delete(keyOf(id));
      this.#decided.delete(keyOf(id));
    }
  }

  /** Checks the records of a session that follow those of its resume. `known` is what the session was told. */
  audit(records: readonly SessionRecord[], known: (op: number) => KnownOp | undefined): void {
    const starts = new Map<number, SessionRecord & { kind: 'start' }>();
    for (const record of records) {
      if (record.kind === 'decide' && known(record.op)?.kind === 'decided') this.#recall(record.id, record.holds);
      else if (record.kind === 'decide') this.#decide(record.id, record.holds);
      if (record.kind === 'start') {
        starts.set(record.n, record);
        this.#start(record);
      }
      const start = record.kind === 'end' ? starts.get(record.n) : undefined;
      if (record.kind !== 'end' || start === undefined) continue;
      if (record.holds !== undefined) this.#decide(start.id, record.holds);
      const isDone = !record.failed || (record.allowed === true && record.more !== true);
      if (start.what === 'step' && isDone) this.#finished.add(keyOf(start.id));
      if (start.id.at(-1) === 'own:finally' && !record.failed)
        this.#cleaned.set(keyOf(start.id.slice(0, -1)), start.id.slice(0, -1));
    }
  }

  #start({ what, id, attempt }: SessionRecord & { kind: 'start' }): void {
    if (id.at(-1) === 'own:error') this.begin(id.slice(0, -1));
    if (what === 'hook') {
      const isRepeated = id.at(-1) === 'own:finally' && this.#cleaned.has(keyOf(id.slice(0, -1)));
      return assert.ok(!isRepeated, `${keyOf(id)} runs again`);
    }
    this.begin(id);
    if (what === 'condition') return assert.ok(!this.#decided.has(keyOf(id)), `${keyOf(id)} is asked again`);
    assert.ok(attempt > 1 || !this.#finished.has(keyOf(id)), `${keyOf(id)} runs again`);
    for (const decided of this.#decided.values())
      assert.ok(decided.holds || !isIn(id, decided.id.slice(0, -1)), `${keyOf(id)} was skipped, and runs`);
  }

  /** A decision that still skips something is not made again, and each session records it. */
  #recall(id: OpId, holds: boolean): void {
    assert.deepEqual([holds, this.#decided.get(keyOf(id))?.holds], [false, false], `${keyOf(id)} was not decided so`);
    assert.ok(!this.#finished.has(keyOf(id.slice(0, -1))), `${keyOf(id)} has finished, and is skipped`);
  }

  /** The check of a step that is still to run is made again. */
  #decide(id: OpId, holds: boolean): void {
    const known = this.#decided.get(keyOf(id));
    const isCheck = id.at(-1) === 'stale' || id.at(-1) === 'first';
    assert.ok(known === undefined || (isCheck && known.holds), `${keyOf(id)} is decided again`);
    const step = id.slice(0, -1);
    if (isCheck) assert.ok(!this.#finished.has(keyOf(step)), `${keyOf(step)} has finished, and is checked`);
    this.#decided.set(keyOf(id), { id, holds });
  }
}

type Answer = () => readonly [number, number];

/** A runner that starts no process. */
function runnerOf(next: Answer): CommandRunner {
  return branching({
    interruption: undefined,
    ready: () => Promise.resolve(),
    wait: () => Promise.resolve(),
    async run({ command: text, outputs, timeout }): Promise<Exit> {
      const [turns, code] = next();
      for (let left = turns; left > 0; left -= 1) await turn();
      // Clean-up succeeds.
      if (text.startsWith('finally') || text === 'before' || text === 'after') return { kind: 'exited', code: 0 };
      if (code !== 0 && timeout !== null) return { kind: 'timed out', limit: timeout };
      const isRead = code === 0 && outputs.length > 0;
      return { kind: 'exited', code, ...(isRead && { outputs: { ok: true, values: [['X', text]] } }) };
    },
  });
}

test('what was decided, has finished or was cleaned up is not repeated by any resume', async () => {
  const property = fc.asyncProperty(shapes, sessions, answers, async (shape, moves, given) => {
    const file = fileOf(shape);
    const model = new Model();
    const texts: string[] = [];
    let asked = 0;
    const next: Answer = () => given[(asked += 1) % given.length] ?? [0, 0];
    for (const [number, { crash, added, rerun, changed }] of moves.entries()) {
      if (number > 0 && added !== undefined) {
        const [workflow, place, step] = added;
        const named = { ...step, name: `new${number}`, run: `new ${number}` };
        file.workflows[workflow]?.steps.splice(place, 0, named);
      }
      const plan = planOf(file);
      const { known, text: first } =
        number === 0 ? { known: () => undefined, text: '' } : resume(plan, texts, model, { rerun, changed });
      const writes: string[] = [];
      const append = (more: string): undefined => void writes.push(more);
      const session = { append, giveUp: assert.fail, close: () => undefined };
      const journal = new SessionRecorder({ plan, session, known, now: () => 0, warn: assert.fail });
      const files = fileChecks(() => next()[1] !== 0);
      const checks = (parts: ConstructorParameters<typeof PlanChecks>[0]): PlanChecks => new PlanChecks(parts, files);
      const settings = { base: new Map(), strict: false, observe: () => undefined, journal, checks };
      const { success } = await execute(plan, runnerOf(next), settings);
      const rest = writes.slice(0, crash).join('');
      texts.push(first + rest);
      model.audit(contentOf(rest, number).records, known);
      if (success && crash > writes.length) return;
    }
  });
  await fc.assert(property, fuzzing(150));
});

function contentOf(text: string, index: number): SessionContent {
  const { content, damage } = readSession([Buffer.from(lines(header({ session: index + 1 })) + text)]);
  assert.ok(content !== null && damage === null);
  return content;
}

type Choices = Readonly<{ rerun: number | undefined; changed: 'keep' | 'rerun' }>;

/** Prepares a resume, and tells the model what it repeats. */
function resume(plan: Plan, texts: readonly string[], model: Model, { rerun, changed }: Choices) {
  const run: RecordedRun = {
    id: RUN,
    sessions: texts.map(contentOf),
    lost: false,
    foreign: false,
    holder: 'dead',
    damage: null,
  };
  const ids = [...identify(plan)].filter(({ kind }) => kind !== 'call');
  const paths = namePaths(plan);
  const all = [...paths].filter(([index]) => plan.ops[index]?.kind === 'run');
  const named = rerun === undefined ? undefined : all[rerun];
  const isOnly = named !== undefined && all.filter(([, path]) => path === named[1]).length === 1;
  const again = isOnly ? [named[1]] : [];
  const match = (choice: 'keep' | 'rerun' | undefined) => {
    const line = { form: 'long', file: '', isFileNamed: false, words: [], args: [] } as const;
    const options = { ...NO_FLAGS, ...line, onCrash: 'rerun', changed: choice, rerun: again } as const;
    const matched = matchRun(plan, run, options);
    assert.ok(matched.ok, JSON.stringify(matched));
    return matched.value;
  };
  const [conflict = Infinity] = match(undefined).states.conflicts;
  if (changed === 'rerun')
    model.repeat(ids.filter((entry) => 'index' in entry && entry.index >= conflict).map(({ path }) => path));
  const id = isOnly
    ? ids.find((entry) => 'index' in entry && entry.index === named[0] && entry.kind === 'run')?.path
    : undefined;
  if (id !== undefined) model.rerun(id);
  for (const { path } of ids) if (path.at(-1) === `name:new${texts.length}`) model.begin(path);
  const { states, part } = match(changed);
  return { known: part.known, text: resumeLines(plan, states) };
}
