/*
 * Kills the server at random moments around a run that it starts. KILLS is the number of kills. FUZZ_SEED repeats a
 * series, as far as timing allows.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { trySystemCall } from '../../src/backend/system/try_system_call.ts';
import { cli, workflowDirectory } from '../support/cli.ts';
import { HANDSHAKE, toolCall, Wire } from '../support/mcp/lines.ts';
import { recordedRuns } from '../support/mcp/runs.ts';
import { random, SEED, type Random } from '../support/random/random.ts';
import { until } from '../support/until.ts';

const KILLS = Number(process.env['KILLS'] ?? 20);

/** The number of kills in a directory, which keeps 100 records, and of those at the same time. */
const [BATCH, LANES] = [20, 4];

const FILE = {
  agents: 'allow',
  finally: 'echo "$N end" >> effects',
  workflows: {
    w: {
      inputs: { N: { required: true } },
      steps: ['echo "$N one" >> effects', 'sleep 0.05; echo "$N two" >> effects'],
    },
  },
};

/** Starts a server and a run. */
function startRun(t: TestContext, cwd: string, N: number): Wire {
  const wire = new Wire(t, cwd);
  wire.send(...HANDSHAKE, toolCall(1, 'run_workflow', { workflow: 'w', inputs: { N }, wait_s: 50 }));
  return wire;
}

/** The processes whose current directory is this one. */
function processesIn(cwd: string): readonly string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => trySystemCall(() => readlinkSync(`/proc/${pid}/cwd`) === cwd) === true);
}

/** The time until a run has ended, in milliseconds. */
async function durationOf(t: TestContext, cwd: string, N: number): Promise<number> {
  const start = performance.now();
  const wire = startRun(t, cwd, N);
  await wire.answer(1);
  wire.child.kill('SIGKILL');
  return performance.now() - start;
}

async function killSome(t: TestContext, source: Random, count: number): Promise<number> {
  const cwd = realpathSync(workflowDirectory(t, FILE));
  let next = 0;
  const lane = async (_: unknown, index: number): Promise<void> => {
    const duration = await durationOf(t, cwd, count + index);
    while (next < count) {
      const number = next;
      next += 1;
      const wire = startRun(t, cwd, number);
      await delay((source.below(1000) / 1000) * duration);
      wire.child.kill('SIGKILL');
      await wire.ended;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await until(
    () => processesIn(cwd).length === 0,
    () => `the end of ${processesIn(cwd).join()}`,
  );
  const { stdout } = await cli(['runs', 'list', '--format', 'json'], { cwd, env: { CLI_NO_JOURNAL: undefined } });
  const runs: readonly { state: string }[] = JSON.parse(stdout);
  assert.deepEqual(new Set(runs.map(({ state }) => state)), new Set(['succeeded']));
  const effects = readFileSync(join(cwd, 'effects'), 'utf8').trimEnd().split('\n');
  const numbers = [...new Set(effects.map((line) => line.replace(/ .*/, '')))];
  for (const number of numbers) {
    const own = effects.filter((line) => line.startsWith(`${number} `));
    assert.deepEqual(own, [`${number} one`, `${number} two`, `${number} end`]);
  }
  assert.equal(recordedRuns(cwd).length, numbers.length);
  // Without those whose time was taken.
  return numbers.length - LANES;
}

test(`${KILLS} kills of the server at random moments lose no run, and leave none half done (seed ${SEED})`, async (t) => {
  const source = random(SEED);
  let begun = 0;
  for (let left = KILLS; left > 0; left -= BATCH) begun += await killSome(t, source, Math.min(left, BATCH));
  t.diagnostic(`${begun} of ${KILLS} runs had begun`);
  assert.ok(begun > 0 && begun < KILLS, `${begun} begun`);
});
