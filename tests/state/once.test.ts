import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as v from 'valibot';
import { workflowDirectory, type CommandResult } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';

const Result = v.object({
  success: v.boolean(),
  steps: v.array(v.object({ name: v.string(), exit_code: v.nullable(v.number()) })),
});

type Tried = Readonly<{ result: v.InferOutput<typeof Result>; finished: CommandResult; log: string }>;

/** Runs a workflow whose commands append to `log`. */
async function run(t: TestContext, workflows: object, args: readonly string[] = []): Promise<Tried> {
  const cwd = workflowDirectory(t, { workflows });
  const finished = await cli(['workflow', 'run', 'ci', ...args], { cwd });
  const path = join(cwd, 'log');
  const log = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return { result: v.parse(Result, JSON.parse(finished.stdout)), finished, log };
}

const SHARED = {
  once: true,
  steps: [{ name: 'shared', run: 'echo "shared ${MODE-}" >>log; echo value', outputs: { V: 'text' } }],
};

test('of equal calls the first runs, and later steps get its outputs; a call with other values runs', async (t) => {
  const { result, finished, log } = await run(t, {
    shared: SHARED,
    inner: { steps: [{ workflow: 'shared' }] },
    ci: {
      steps: [
        { workflow: 'shared' },
        { workflow: 'inner', with: { UNUSED: 'x' } },
        { workflow: 'shared', with: { MODE: 'other' } },
        { workflow: 'shared' },
        'echo "got ${steps.shared.V}" >>log',
      ],
    },
  });
  assert.equal(log, 'shared \nshared other\ngot value\n');
  assert.deepEqual([result.success, result.steps.map(({ name }) => name)], [true, ['shared', 'shared', 'step_5']]);
  assert.match(finished.stderr, /^cli: skipped workflow 'shared': already ran$/m);
});

test('members of a group wait for the first call, also with few places, and hooks run once', async (t) => {
  const call = { workflow: 'slow' };
  const { result, log } = await run(t, {
    slow: { once: true, finally: 'echo finally >>log', steps: ['sleep 0.3; echo slow >>log'] },
    member: { steps: [call, 'echo member >>log'] },
    ci: {
      steps: [
        { parallel: [{ workflow: 'member' }, { workflow: 'member' }, call, { workflow: 'member' }], max_parallel: 2 },
        { parallel: [{ parallel: [call, { workflow: 'member' }] }, { workflow: 'member' }] },
      ],
    },
  });
  assert.equal(result.success, true);
  const lines = log.trimEnd().split('\n');
  assert.deepEqual(lines.slice(0, 2), ['slow', 'finally']);
  assert.deepEqual(
    lines.slice(2),
    Array.from({ length: 5 }, () => 'member'),
  );
});

for (const [how, group] of [
  ['fails', {}],
  ['fails and cancels the others', { fail_fast: true }],
] as const) {
  test(`if the first call ${how}, waiting ones fail without entries`, async (t) => {
    const { result, finished, log } = await run(t, {
      bad: { once: true, steps: [{ name: 'bad', run: 'sleep 0.3; echo bad >>log; exit 3' }] },
      member: { steps: [{ workflow: 'bad' }, 'echo never >>log'] },
      ci: { steps: [{ parallel: [{ workflow: 'member' }, { workflow: 'member' }], ...group }, 'echo never >>log'] },
    });
    assert.deepEqual([result.success, finished.code, log], [false, 1, 'bad\n']);
    assert.deepEqual(result.steps, [{ name: 'bad', exit_code: 3 }]);
    if (how === 'fails') assert.match(finished.stderr, /workflow 'bad' has failed in this run$/m);
  });
}

test('a resume keeps what already ran, and gives later steps its outputs', async (t) => {
  const cwd = workflowDirectory(t, {
    workflows: {
      shared: SHARED,
      ci: {
        steps: [
          { workflow: 'shared' },
          { workflow: 'shared' },
          { name: 'last', run: 'test -e go && echo "${steps.shared.V}" >>log' },
        ],
      },
    },
  });
  const env = { CLI_NO_JOURNAL: undefined };
  assert.equal((await cli(['run', 'ci'], { cwd, env })).code, 1);
  writeFileSync(join(cwd, 'go'), '');
  const { code, stderr } = await cli(['resume', '--last', '-q'], { cwd, env });
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(readFileSync(join(cwd, 'log'), 'utf8'), 'shared \nvalue\n');
});

test('a workflow that several steps call cannot be exported, and a simulation skips equal calls', async (t) => {
  const cwd = workflowDirectory(t, {
    workflows: { shared: SHARED, ci: { steps: [{ workflow: 'shared' }, { parallel: [{ workflow: 'shared' }] }] } },
  });
  const { code, stderr } = await cli(['export', 'ci'], { cwd });
  assert.deepEqual(
    [code, stderr],
    [2, "cli: 'export' does not support 'once': several steps call workflow 'shared', which runs once\n"],
  );
  const simulated = await cli(['run', 'ci', '-n', '--assume', 'shared/shared=0'], { cwd });
  assert.equal(simulated.code, 0, simulated.stderr);
  assert.match(simulated.stdout, /already ran/);
});

test('calls are equal if the same values reach them: inputs, their own values, and the variables that stand in the workflow', async (t) => {
  const shared = {
    once: true,
    inputs: { LEVEL: { default: '1' } },
    finally: 'true "$IN_HOOK"',
    env: { OWN: '${vars.IN_REFERENCE:-}' },
    steps: [{ if: 'test -z "$IN_CONDITION"', run: 'echo "$LEVEL" >>log' }],
  };
  const { log } = await run(t, {
    shared,
    // A value of a caller that is not mentioned does not count, one of the call itself does.
    outer: { env: { NOT_MENTIONED: 'x' }, steps: [{ workflow: 'shared' }] },
    ci: {
      steps: [
        { workflow: 'shared' },
        { workflow: 'outer' },
        { workflow: 'shared', with: { LEVEL: '1' } },
        { workflow: 'shared', with: { LEVEL: '2' } },
        { workflow: 'shared', with: { NOT_MENTIONED: '3' } },
        { workflow: 'shared', with: { IN_HOOK: '4' } },
        { workflow: 'shared', with: { IN_REFERENCE: '5' } },
        { workflow: 'shared', with: { IN_REFERENCE: '5' } },
        { workflow: 'shared', with: { IN_CONDITION: '' } },
        { workflow: 'shared', matrix: { LEVEL: ['2', '3'] } },
      ],
    },
  });
  assert.equal(log, '1\n2\n1\n1\n1\n1\n3\n');
});
