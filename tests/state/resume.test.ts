import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND, type CommandResult } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { project, type Step } from '../support/runs/checked_project.ts';
import { until } from '../support/until.ts';

const KILL = 'if [ -e kill ]; then rm kill; kill -9 $PPID; sleep 60; fi';
const env = { CLI_NO_JOURNAL: undefined };

const step = (run: string): Step => ({ name: 'copy', run, sources: ['in'], generates: ['out'] });

for (const [title, steps] of [
  ['before a step', [KILL, step('cat in >out; echo ran >>log')]],
  ['in a step', [step(`cat in >out; ${KILL}; echo ran >>log`)]],
] as const) {
  test(`after a kill ${title}, the resume runs it, and it is up to date in the next run`, async (t) => {
    const { cwd, path, reasons, write } = project(t, steps);
    write('in', '1');
    await reasons();
    write('in', '2');
    write('kill', '');
    const [file, ...args] = COMMAND;
    const killed = spawn(file, [...args, 'run', 'ci', '-q'], { cwd, stdio: 'ignore', env: { ...process.env, ...env } });
    assert.deepEqual(await once(killed, 'close'), [null, 'SIGKILL']);
    const text = title === 'in a step' ? '1' : '2';
    write('in', text);
    const { code } = await resume(cwd);
    assert.deepEqual(
      [code, readFileSync(path('out'), 'utf8'), readFileSync(path('log'), 'utf8')],
      [0, text, 'ran\nran\n'],
    );
    assert.deepEqual(await reasons(), []);
  });
}

const resume = (cwd: string): Promise<CommandResult> =>
  cli(['resume', '--last', '--on-crash', 'rerun', '--orphans', 'end'], { cwd, env });

/** The records of the runs in a directory. */
function journalOf(cwd: string): string {
  const runs = join(cwd, '.cli/runs');
  const names = existsSync(runs) ? readdirSync(runs, { recursive: true, encoding: 'utf8' }) : [];
  const sessions = names.filter((name) => name.endsWith('.ndjson'));
  return sessions.map((name) => readFileSync(join(runs, name), 'utf8')).join('');
}

test('after a kill between the end of a step and its record, the resume keeps it, and the next run runs it', async (t) => {
  // What the step generates takes seconds to read.
  const { cwd, path, reasons, write } = project(t, [
    {
      name: 'large',
      run: 'cat in >out; [ -e ended ] || truncate -s 100G out; touch ended',
      sources: ['in'],
      generates: ['out'],
    },
  ]);
  write('in', '1');
  const [file, ...args] = COMMAND;
  const killed = spawn(file, [...args, 'run', 'ci', '-q'], { cwd, stdio: 'ignore', env: { ...process.env, ...env } });
  const closed = once(killed, 'close');
  await until(
    () => journalOf(cwd).includes('"kind":"end"'),
    () => 'the step ends',
  );
  killed.kill('SIGKILL');
  await closed;
  assert.match((await resume(cwd)).stderr, /^ {2}= large {2}kept: finished$/m);
  assert.deepEqual(await reasons(), ['no record']);
  assert.equal(readFileSync(path('out'), 'utf8'), '1');
  assert.deepEqual(await reasons(), []);
});
