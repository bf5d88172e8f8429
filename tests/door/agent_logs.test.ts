import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { createKey, planRun } from '../../src/cli/run_data/planned_run.ts';
import { cli, COMMAND, temporaryDirectory } from '../support/cli.ts';

type Started = Readonly<{
  code: number;
  stderr: string;
  runs: string;
  cwd: string;
  logs: () => Record<string, string>;
}>;

/** Starts the workflow `ci` as the server of an agent does, and waits for its end. `change` edits the message. */
async function startForAgent(
  t: TestContext,
  steps: readonly unknown[],
  env: NodeJS.ProcessEnv = {},
  change: object = {},
): Promise<Started> {
  const cwd = temporaryDirectory(t, { '.cli/workflow.json': { workflows: { ci: { steps } } } });
  const runs = join(cwd, '.cli/runs');
  const all = { ...process.env, CLI_NO_JOURNAL: undefined, CLI_RUNS_DIR: runs, NODE_EXTRA_CA_CERTS: undefined, ...env };
  const request = { command: 'run', name: 'ci', params: [], file: join(cwd, '.cli/workflow.json') } as const;
  const key = createKey();
  const planned = await planRun({ stdin: 0, stdout: 1, stderr: 2, env: all, die: async () => 1 }, request, key);
  if (!planned.ok) throw new Error(planned.problems.join('\n'));
  const [file, ...first] = COMMAND;
  const child = spawn(file, [...first, 'workflow', 'process', '--', 'run'], {
    cwd,
    env: all,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const [, , errors, pipe] = child.stdio;
  assert.ok(pipe instanceof Writable && errors !== null);
  const { run, digest } = planned.value;
  pipe.end(JSON.stringify({ run, key: key.toString('hex'), digest, request, agent: 'allowed', ...change }));
  let stderr = '';
  errors.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  const [code] = await once(child, 'close');
  const directory = join(runs, run, 'logs');
  const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
  return {
    code,
    stderr,
    runs,
    cwd,
    logs: () => Object.fromEntries(readdirSync(directory).map((name) => [name, read(name)])),
  };
}

test('the logs of a run for an agent have no secrets and no control characters', async (t) => {
  const print = String.raw`printf 'before %s after\n\033[31mred\033[0m\a \033]8;;http://x\033\\link\033]8;;\033\\\n' "$API_TOKEN"`;
  const { code, stderr, cwd, runs, logs } = await startForAgent(
    t,
    [
      { name: 'print', run: `${print}; printf 'last %s' "$API_TOKEN"` },
      { name: 'token', run: 'echo "made-$((40 + 2))-now"', outputs: { NEW_TOKEN: 'text' } },
      { name: 'use', run: 'echo "<${steps.token.NEW_TOKEN}>"' },
      { name: 'group', parallel: [{ name: 'one', run: 'echo "member $API_TOKEN"; echo done' }] },
    ],
    { API_TOKEN: 'hunter2-hunter2' },
  );
  assert.deepEqual(logs(), {
    '1-1.log': 'before *** after\nred link\nlast ***\n',
    '1-2.log': '***\n',
    '1-3.log': '<***>\n',
    '1-4.log': 'member ***\ndone\n',
  });
  const shown = await cli(['workflow', 'runs', 'show', '--last'], { cwd, env: { CLI_RUNS_DIR: runs } });
  assert.equal(JSON.parse(shown.stdout).sessions[0].agent, 'allowed');
  assert.deepEqual([JSON.parse(shown.stdout).sessions[0].success, code, stderr], [true, 0, '']);
});
