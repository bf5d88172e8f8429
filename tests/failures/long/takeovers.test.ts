import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory } from '../../support/cli.ts';
import { ownPostgres } from '../../support/remote/postgres.ts';
import { needsPostgres, remoteCli, start, startWorker, type Running } from '../../support/remote/workers.ts';
import { until } from '../../support/until.ts';

const server = ownPostgres();
const TAKEOVERS = 50;

test(`a run is broken after ${TAKEOVERS} takeovers`, { ...needsPostgres(), timeout: 800_000 }, async (t) => {
  const cwd = workflowDirectory(t, {
    error: 'echo error >> hooks',
    workflows: { main: { steps: ['echo once >> first', 'echo "$WHO" >> starts; sleep 600'] } },
  });
  const path = join(cwd, 'starts');
  const starts = (): readonly string[] => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []);
  const workers = new Map<string, Running>();
  const add = async (name: string): Promise<void> => {
    workers.set(name, await startWorker(t, server(), cwd, { flags: ['--name', name], env: { WHO: name } }));
  };
  await Promise.all([add('w-1'), add('w-2')]);
  const client = start(t, ['workflow', 'run', 'main', '--on', server().url, '--id', 'lost', '-q'], cwd);
  for (let count = 1; count <= TAKEOVERS + 1; count += 1) {
    await until(
      () => starts().length === count,
      () => `the step has begun ${count} times, not ${starts().length}: ${client.stderr()}`,
    );
    const name = starts().at(-1) ?? '';
    const added = add(`w${count}`);
    workers.get(name)?.child.kill('SIGKILL');
    await added;
  }
  const { code, stdout, stderr } = await client.ended;
  assert.deepEqual([code, stdout], [1, ''], stderr);
  assert.match(stderr, /\ncli: run lost is broken: .*\n$/);
  assert.equal(starts().length, TAKEOVERS + 1);
  assert.equal(readFileSync(join(cwd, 'first'), 'utf8'), 'once\n');
  assert.ok(!existsSync(join(cwd, 'hooks')));
  const shown: unknown = JSON.parse((await remoteCli(['workflow', 'runs', 'list', '--on', server().url], cwd)).stdout);
  assert.ok(Array.isArray(shown));
  const { state, takeovers }: { state: unknown; takeovers: unknown } = shown[0];
  assert.deepEqual({ state, takeovers }, { state: 'broken', takeovers: TAKEOVERS });
});
