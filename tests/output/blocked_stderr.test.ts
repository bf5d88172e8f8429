import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { COMMAND, workflowDirectory } from '../support/cli.ts';
import { LINUX } from '../support/processes/shell.ts';
import { until } from '../support/until.ts';

test('a signal is not lost while standard error is blocked', LINUX, async (t) => {
  const skipped = Array.from({ length: 3000 }, () => ({ if: 'NOPE', run: 'true' }));
  const steps = ['true', ...skipped];
  const cwd = workflowDirectory(t, { error: 'echo hook >>log', workflows: { b: { steps } } });
  const [file, ...args] = COMMAND;
  const runner = spawn(file, [...args, 'workflow', 'run', 'b'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const stdout = text(runner.stdout);
  // Blocked in a write to standard error: a system call on descriptor 2, see proc(5).
  const isBlocked = (): boolean => /^\d+ 0x2 /.test(readFileSync(`/proc/${runner.pid}/syscall`, 'utf8'));
  await until(isBlocked, () => 'the pipe is full');
  runner.kill('SIGTERM');
  runner.stderr.resume();
  assert.deepEqual(await once(runner, 'exit'), [null, 'SIGTERM']);
  assert.deepEqual(JSON.parse(await stdout), {
    workflow: 'b',
    steps: [{ name: 'step_1', command: 'true', exit_code: 0 }],
    error: { command: 'echo hook >>log', exit_code: 0 },
    success: false,
    interrupted: 'SIGTERM',
  });
  assert.equal(existsSync(join(cwd, 'log')), true);
});
