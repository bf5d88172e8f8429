import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { bench, runDetached, type Bench, type Running } from '../processes/bench.ts';
import { writeScript } from './write_script.ts';

type Start = (subject: Bench) => Promise<Running>;

/** The lines that a run and an exported script of the workflow `x` write to the log. Nothing of them is left. */
export async function both(
  t: TestContext,
  workflows: object,
  end: (running: Running, subject: Bench) => Promise<void>,
): Promise<readonly (readonly string[])[]> {
  const starts: readonly Start[] = [
    (subject) => Promise.resolve(runDetached(subject, ['workflow', 'run', 'x'])),
    async (subject) => {
      await writeScript(subject);
      return runDetached(subject, ['x.sh'], ['bash']);
    },
  ];
  const logs: (readonly string[])[] = [];
  for (const start of starts) {
    const subject = bench(t, { workflows });
    const running = await start(subject);
    await end(running, subject);
    logs.push(subject.log());
    assert.deepEqual(subject.survivors(), []);
  }
  return logs;
}
