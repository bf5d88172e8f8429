import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND } from '../support/cli.ts';
import { printedAddress } from '../support/runs/printed_address.ts';
import { project, waiting } from '../support/runs/recorded_run.ts';

test('a signal ends the page with exit code 0, although a page is open, and not the run that it shows', async (t) => {
  const own = project(t, [waiting('wait')]);
  const run = await own.start('run ci');
  const ended = once(run, 'exit');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const [file, ...first] = COMMAND;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: undefined };
    const server = spawn(file, [...first, 'ui'], { cwd: own.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    t.after(() => server.kill('SIGKILL'));
    const { port, key } = await printedAddress(server);
    const headers = { Authorization: `Bearer ${key}` };
    const open = request({ host: '127.0.0.1', port, path: '/api/changes', headers, agent: false });
    open.on('error', () => undefined);
    open.end();
    await once(open, 'response');
    const closed = once(server, 'close');
    server.kill(signal);
    assert.deepEqual(await closed, [0, null], signal);
    assert.equal(server.stdout.read(), null);
  }
  assert.deepEqual([run.exitCode, run.signalCode], [null, null]);
  writeFileSync(join(own.cwd, 'go'), '');
  assert.deepEqual(await ended, [0, null]);
  assert.deepEqual(own.effects(), ['wait', 'wait-end']);
});
