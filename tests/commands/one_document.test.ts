import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cli, workflowDirectory } from '../support/cli.ts';

test('steps print to standard error, and standard output is one document', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { hello: { steps: ['echo hello'] } } });
  assert.deepEqual(await cli(['workflow', 'run', 'hello'], { cwd }), {
    code: 0,
    signal: null,
    stdout: '{"workflow":"hello","steps":[{"name":"step_1","command":"echo hello","exit_code":0}],"success":true}\n',
    stderr: 'hello\n',
  });
});
