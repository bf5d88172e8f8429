/* The server as a process, on both builds. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli, temporaryDirectory } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { editorWithProcess } from '../support/lsp/editor.ts';
import { terminal } from '../support/processes/terminal.ts';
import { COMMAND } from '../support/cli.ts';
import { VERSION } from '../support/package.ts';

test('the server answers, goes on after unknown requests, and ends with 0 after shutdown and exit', async (t) => {
  const folder = temporaryDirectory(t);
  const { editor, ended } = editorWithProcess(t, '--stdio');
  const started = await editor.start(folder);
  assert.ok(typeof started === 'object' && started !== null && 'serverInfo' in started && 'capabilities' in started);
  assert.deepEqual(started.serverInfo, { name: 'workflow-plan', version: VERSION });
  assert.ok(!('codeLensProvider' in Object(started.capabilities)));
  const unknown = await editor.request('workspace/nothing', {});
  assert.equal(unknown.error?.code, -32601);
  const uri = editor.open(join(folder, '.cli/workflow.json'), '{"workflows": {"w": {"steps": [{"workflow": "x"}]}}}');
  assert.deepEqual(
    (await editor.diagnostics(uri)).map(({ message }) => message),
    ["step 1: unknown workflow 'x'"],
  );
  editor.edit(uri, 44, 47, '"w');
  assert.equal((await editor.diagnostics(uri)).length, 1);
  await editor.request('shutdown');
  editor.notify('exit');
  assert.equal(await ended, '0');
});

test('the server ends with 1 after exit alone, and at the end of its input', async (t) => {
  const alone = editorWithProcess(t);
  await alone.editor.start('/');
  alone.editor.notify('exit');
  assert.equal(await alone.ended, '1');
  const cut = editorWithProcess(t);
  await cut.editor.start('/');
  cut.child.stdin.end();
  assert.equal(await cut.ended, '1');
});

test('the server ends soon after the process of the editor', async (t) => {
  const { editor, ended } = editorWithProcess(t);
  const other = spawn('sleep', ['60'], { stdio: 'ignore' });
  await editor.start('/', { processId: other.pid });
  const start = performance.now();
  other.kill('SIGKILL');
  assert.equal(await ended, '1');
  assert.ok(performance.now() - start < 30_000);
});

test('words after `cli lsp` are usage errors', async (t) => {
  const { code, stdout } = await cli(['lsp', 'now'], { cwd: temporaryDirectory(t) });
  assert.deepEqual([code, stdout], [2, '']);
});

test('at a terminal, the server says that an editor starts it', needs('python3'), async (t) => {
  const [program, ...args] = COMMAND;
  const shown = terminal(t, temporaryDirectory(t), program, [...args, 'lsp'], {});
  await shown.shows(
    'cli: to set up an editor: https://github.com/workflow-plan/workflow-plan/blob/main/docs/editors.md',
  );
  await shown.ended;
});
