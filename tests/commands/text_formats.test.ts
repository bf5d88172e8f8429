import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolInProcess } from '../support/in_process.ts';

const FILE = {
  workflows: {
    release: { description: 'Build and publish\nall of it', steps: ['one', 'two'] },
    '10': { steps: ['one'] },
    inner: { private: true, description: 'Only called', steps: [] },
  },
};

test('list --format table prints columns, with private workflows only for --all', async (t) => {
  const tool = toolInProcess(t);
  const list = ['workflow', 'list', '--file', '-', '--format', 'table'];
  const input = JSON.stringify(FILE);
  const shown = '10       1 step\nrelease  2 steps  Build and publish\\nall of it\n';
  assert.deepEqual(await tool(list, { input }), { code: 0, stdout: shown, stderr: '' });
  const all = `${shown}inner    0 steps  (private) Only called\n`;
  assert.deepEqual(await tool([...list, '--all'], { input }), { code: 0, stdout: all, stderr: '' });
  const none = await tool(list, { input: '{"workflows": {}}' });
  assert.deepEqual(none, { code: 0, stdout: '', stderr: '' });
});

test('validate --format text prints and counts errors and warnings, with the usual exit code', async (t) => {
  const tool = toolInProcess(t);
  const validate = ['workflow', 'validate', '--file', '-', '--format', 'text'];
  const input = '{"workflows": {"a": {"steps": [{"run": "true", "if": "$A"}, {"rnu": "true"}, {}]}}}';
  assert.deepEqual(await tool(validate, { input }), {
    code: 1,
    stdout: `<stdin>:1:62: error: workflow 'a': step 2: unknown field 'rnu'; did you mean 'run'? see: cli help file
    1 | ${input}
      |                                                              ^^^^^
<stdin>:1:78: error: workflow 'a': step 3: missing 'run' or 'workflow' field; for example "run": "npm test"
    1 | ${input}
      |                                                                              ^
<stdin>:1:54: warning: workflow 'a': step 1: 'if' runs the value of $A as a command, and an empty value succeeds; to test whether the variable is set, write "A"
    1 | ${input}
      |                                                      ^^^^
<stdin>: invalid, 2 errors, 1 warning
`,
    stderr: '',
  });
  const valid = await tool(validate, { input: '{"workflows": {}}' });
  assert.deepEqual(valid, { code: 0, stdout: '<stdin>: valid, 0 errors, 0 warnings\n', stderr: '' });
});
