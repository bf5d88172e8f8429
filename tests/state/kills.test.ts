import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { delay } from '../../src/backend/system/sleep.ts';
import { COMMAND } from '../support/cli.ts';
import { project } from '../support/runs/checked_project.ts';

/** The number of kills. 500 take about three minutes. */
const KILLS = Number(process.env['KILLS'] ?? 20);

/** The longest time before a kill, in milliseconds: longer than most runs take. */
const LONGEST = 250;

test('after a kill at any point, a step is up to date only with what it has made', async (t) => {
  const { cwd, run, path, write } = project(t, [
    { name: 'slow', run: 'cat in >out; sleep 0.02; cat in >>out', sources: ['in'], generates: ['out'] },
    { name: 'next', run: 'cat out >last', sources: ['out'], generates: ['last'] },
  ]);
  const [file, ...args] = COMMAND;
  let text = '';
  for (let kill = 0; kill < KILLS; kill += 1) {
    // Old contents come back.
    text = `${kill % 3}`;
    write('in', text);
    const killed = spawn(file, [...args, 'run', 'ci', '-q'], { cwd, stdio: 'ignore', detached: true });
    const ended = new Promise((resolve) => void killed.once('close', resolve));
    await delay(Math.random() * LONGEST);
    if (killed.exitCode === null && killed.pid !== undefined) process.kill(-killed.pid, 'SIGKILL');
    await ended;
    if (kill % 4 === 0) writeFileSync(path('out'), 'edited');
    assert.equal((await run('-q')).code, 0);
    const made = [readFileSync(path('out'), 'utf8'), readFileSync(path('last'), 'utf8')];
    assert.deepEqual(made, [`${text}${text}`, `${text}${text}`], `kill ${kill}`);
  }
  assert.equal((await run('-q')).stderr, '');
});
