/* A directory and a database hold the same records of a run: a resume keeps the same results, wherever they are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { NO_FLAGS } from '../../src/cli/command_line/flag_values.ts';
import { PlanChecks } from '../../src/backend/checks/plan_checks.ts';
import { execute } from '../../src/backend/execute.ts';
import type { CommandRunner, Exit, Interruption } from '../../src/backend/command_runner.ts';
import type { Outcome } from '../../src/backend/run_event.ts';
import type { RunJournal } from '../../src/backend/run_journal.ts';
import { turn } from '../../src/backend/system/sleep.ts';
import { matchRun } from '../../src/cli/driver/recording/match_run.ts';
import type { Plan } from '../../src/ir/plan.ts';
import { attemptsOf } from '../../src/records/journal/fold_history.ts';
import type { RecordedRun } from '../../src/records/journal/journal.ts';
import type { SessionRecord } from '../../src/records/journal/record.ts';
import { ReplayingJournal } from '../../src/records/journal/replay/replaying_journal.ts';
import { readSession, type SessionContent } from '../../src/records/journal/session_file.ts';
import { SessionRecorder } from '../../src/records/journal/session_recorder.ts';
import { compiled } from '../support/plans.ts';
import { branching } from '../support/random/branching.ts';
import { fuzzing } from '../support/random/fuzzing.ts';
import { fileChecks, fileOf, planOf, shapes } from '../support/runs/resumed_plans.ts';
import { header, lines, RUN } from '../support/runs/journal.ts';

/** The end of each attempt of a command, and the turns of the event loop that it takes. */
type Fate = Readonly<{ turns: number; codes: readonly number[] }>;

const code = fc.constantFrom(0, 0, 0, 0, 1, 124, 124, 127);
const fate: fc.Arbitrary<Fate> = fc.record({ turns: fc.nat(4), codes: fc.array(code, { minLength: 1, maxLength: 3 }) });

/** A runner that starts no process. `ran` receives the commands, and `signalAt` is the command at which a signal arrives. */
function runnerOf(fates: readonly Fate[], ran: string[], signalAt = 0): CommandRunner {
  let interruption: Interruption | undefined;
  return branching({
    get interruption() {
      return interruption;
    },
    ready: () => Promise.resolve(),
    wait: () => Promise.resolve(),
    async run({ command: text, outputs, timeout }): Promise<Exit> {
      // Conditions with the same text may be tested at the same time.
      const attempt = text.startsWith('test') ? 0 : ran.filter((each) => each === text).length;
      ran.push(text);
      if (ran.length === signalAt) interruption = { signal: 'SIGINT', forced: false };
      const sum = Buffer.from(text).reduce((total, byte) => total + byte, 0);
      const { turns, codes } = fates[sum % fates.length] ?? { turns: 0, codes: [] };
      for (let left = turns; left > 0; left -= 1) await turn();
      const result = codes[attempt] ?? codes.at(-1) ?? 0;
      if (result === 124 && timeout !== null) return { kind: 'timed out', limit: timeout };
      if (outputs.length === 0 || result !== 0) return { kind: 'exited', code: result };
      if (turns === 0) return { kind: 'exited', code: 0, outputs: { ok: false, problems: ['no X'] } };
      return { kind: 'exited', code: 0, outputs: { ok: true, values: [['X', `${text} ${attempt}`]] } };
    },
  });
}

/** A moment of a session: the directory's text, and the database's rows. */
type Moment = Readonly<{ text: string; rows: readonly (readonly SessionRecord[])[] }>;

const NOTHING = { now: () => 0, interrupt: assert.fail } as const;

/** Executes a plan and records it in both stores. Returns the moments after each write to the database. */
async function recordTwice(
  plan: Plan,
  runner: CommandRunner,
  known: RunJournal['known'],
): Promise<Readonly<{ outcome: Outcome; moments: readonly Moment[] }>> {
  let text = '';
  const rows: (readonly SessionRecord[])[] = [];
  const moments: Moment[] = [{ text, rows: [] }];
  const append = (more: string): undefined => void (text += more);
  const session = { append, giveUp: assert.fail, close: () => undefined };
  const local = new SessionRecorder({ plan, session, known, now: () => 0, warn: assert.fail });
  const send = async (records: readonly SessionRecord[]): Promise<void> => {
    rows.push(JSON.parse(JSON.stringify(records)));
    moments.push({ text, rows: [...rows] });
    await turn();
  };
  const remote = new ReplayingJournal({ ...NOTHING, plan, earlier: [], records: [], send });
  const journal: RunJournal = {
    known,
    recorded: () => undefined,
    reach: (op) => remote.reach(op),
    start: (n, op, attempt) => local.start(n, op, attempt) ?? remote.start(n, op, attempt),
    ready: assert.fail,
    end: (n, end) => local.end(n, end) ?? remote.end(n, end),
    decide: (op, holds, outputs) => local.decide(op, holds, outputs) ?? remote.decide(op, holds, outputs),
    ask: assert.fail,
    waitFor: assert.fail,
    decline: (op, asked) => {
      local.decline(op, asked);
      remote.decline(op, asked);
    },
  };
  const settings = { base: new Map(), strict: false, observe: () => undefined, journal, checks };
  return { outcome: await execute(plan, remote.runner(runner), settings), moments };
}

/** Some steps are up to date. */
const checks = (parts: ConstructorParameters<typeof PlanChecks>[0]): PlanChecks =>
  new PlanChecks(
    parts,
    fileChecks((name) => /[02468]$/.test(name)),
  );

/** Executes the rest of a run. Like a reporter, the observer asks about every op at every event. */
function goOn(plan: Plan, journal: ReplayingJournal, runner: CommandRunner): Promise<Outcome> {
  const observe = (): void => [...plan.ops.keys()].forEach((op) => void journal.known(op));
  return execute(plan, journal.runner(runner), { base: new Map(), strict: false, observe, journal, checks });
}

/** What a resume from the directory keeps, if steps in flight run again. */
function keptLocally(plan: Plan, texts: readonly string[]): RunJournal['known'] {
  const sessions = texts.map((text, index): SessionContent => {
    const { content, damage } = readSession([Buffer.from(lines(header({ session: index + 1 })) + text)]);
    assert.ok(content !== null && damage === null);
    return content;
  });
  const run: RecordedRun = { id: RUN, sessions, lost: false, foreign: false, holder: 'dead', damage: null };
  const options = {
    ...NO_FLAGS,
    form: 'long',
    file: '',
    isFileNamed: false,
    words: [],
    args: [],
    onCrash: 'rerun',
  } as const;
  const matched = matchRun(plan, run, options);
  assert.ok(matched.ok);
  return matched.value.part.known;
}

/** What a resume from the database keeps. */
function keptRemotely(plan: Plan, earlier: readonly Moment['rows'][]): RunJournal['known'] {
  const sessions = earlier.map((rows) => rows.flat());
  return new ReplayingJournal({ ...NOTHING, plan, earlier: sessions, records: [], send: () => assert.fail() }).known;
}

const RUNS = { shapes, fates: fc.array(fate, { minLength: 1, maxLength: 5 }) };

test('a resume keeps the same results from a directory and from a database, after each write', async () => {
  const signals = fc.tuple(fc.nat(12), fc.nat(12));
  const property = fc.asyncProperty(
    fc.record({ ...RUNS, signals }),
    async ({ shapes: shape, fates, signals: [one, two] }) => {
      const plan = planOf(fileOf(shape));
      const first = await recordTwice(plan, runnerOf(fates, [], one), () => undefined);
      for (const { text, rows } of first.moments) {
        const local = keptLocally(plan, [text]);
        const remote = keptRemotely(plan, [rows]);
        for (const op of plan.ops.keys()) assert.deepEqual(remote(op), local(op));
      }
      const [before] = first.moments.slice(-1);
      assert.ok(before !== undefined);
      const second = await recordTwice(plan, runnerOf(fates, [], two), keptLocally(plan, [before.text]));
      for (const { text, rows } of second.moments) {
        const local = keptLocally(plan, [before.text, text]);
        const remote = keptRemotely(plan, [before.rows, rows]);
        for (const op of plan.ops.keys()) assert.deepEqual(remote(op), local(op));
      }
    },
  );
  await fc.assert(property, fuzzing(40));
});

test('a run that another machine takes over after any write ends as if nothing had happened', async () => {
  const property = fc.asyncProperty(fc.record(RUNS), async ({ shapes: shape, fates }) => {
    const plan = planOf(fileOf(shape));
    const all: string[] = [];
    const { outcome, moments } = await recordTwice(plan, runnerOf(fates, all), () => undefined);
    for (const { rows } of moments) {
      const attempts = attemptsOf(rows.flat());
      const ended = attempts.filter(({ end }) => end !== undefined);
      const isLost = attempts.some(({ start }) => ended.every((each) => each.start.op !== start.op));
      assert.equal(ended.length, rows.flat().filter(({ kind }) => kind === 'end').length);
      // A step that was running and must not run twice has failed.
      if (isLost) continue;
      const ran = ended.map(({ start }) => start.print.command);
      const records = rows.flat();
      const journal = new ReplayingJournal({ ...NOTHING, plan, earlier: [], records, send: turn });
      assert.deepEqual(await goOn(plan, journal, runnerOf(fates, ran)), outcome);
      assert.deepEqual(ran.toSorted(), all.toSorted());
    }
  });
  await fc.assert(property, fuzzing(30));
});

test('a question about a step that was lost does not replay what followed its start', async () => {
  // The groups around the step take longer to begin than the failure takes to cancel them.
  const lost = { steps: [{ name: 'lost', run: 'lost', on_crash: 'fail' }] };
  const [a, b, c] = ['b', 'c', 'lost'].map((workflow) => ({ steps: [{ parallel: [{ workflow }] }] }));
  const ci = { steps: [{ parallel: [{ name: 'failing', run: 'failing' }, { workflow: 'a' }], fail_fast: true }] };
  const workflows = { ci, a, b, c, lost };
  const plan = compiled(JSON.stringify({ workflows }), 'ci');
  const ran: string[] = [];
  const runner = branching({
    interruption: undefined,
    ready: () => Promise.resolve(),
    wait: () => Promise.resolve(),
    async run({ command: text }): Promise<Exit> {
      ran.push(text);
      for (let left = text === 'lost' ? 60 : 30; left > 0; left -= 1) await turn();
      return { kind: 'exited', code: 1 };
    },
  });
  const { moments } = await recordTwice(plan, runner, () => undefined);
  const first = moments.find(({ rows }) => rows.flat().some(({ kind }) => kind === 'end'));
  const records = first?.rows.flat() ?? [];
  const journal = new ReplayingJournal({ ...NOTHING, plan, earlier: [], records, send: turn });
  const { steps: results } = await goOn(plan, journal, runner);
  assert.deepEqual(
    results.map(({ op, exit }) => [op.name, exit.kind]),
    [
      ['failing', 'exited'],
      ['lost', 'not started'],
    ],
  );
  assert.deepEqual(ran, ['failing', 'lost']);
});

test('a database has the start of a step that must not run twice before it runs, and none if it did not start', async () => {
  const plan = planOf({ workflows: { ci: { steps: [{ run: 'a', on_crash: 'fail' }] } } });
  const sent: string[] = [];
  const send = async (records: readonly SessionRecord[]): Promise<void> =>
    void sent.push(records.map(({ kind }) => kind).join());
  const journal = new ReplayingJournal({ ...NOTHING, plan, earlier: [], records: [], send });
  await journal.start(1, 0, 0);
  assert.deepEqual(sent, []);
  await journal.start(2, 0, 1);
  assert.deepEqual(sent, ['start']);
});
