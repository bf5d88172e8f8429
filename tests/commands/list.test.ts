import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { inProcess } from '../support/in_process.ts';
import { workflow } from '../support/workflow.ts';

/** A text, because JSON.stringify would put the workflow `10` first. */
const ORDERED = `{
  "workflows": {
    "zebra": { "description": "Last of the letters", "steps": [] },
    "hidden": { "private": true, "description": "", "steps": ["a", { "run": "b" }, { "workflow": "zebra" }] },
    "10": { "private": false, "steps": ["a"] },
    "apple": { "steps": [] }
  }
}`;
const zebra = { name: 'zebra', description: 'Last of the letters', private: false, step_count: 0 };
const hidden = { name: 'hidden', description: '', private: true, step_count: 3 };
const ten = { name: '10', description: '', private: false, step_count: 1 };
const apple = { name: 'apple', description: '', private: false, step_count: 0 };

test('`list` prints public workflows in file order, with all four fields', async (t) => {
  const listed = await workflow(t, ORDERED, ['list']);
  assert.deepEqual(listed, { code: 0, document: [zebra, ten, apple], stderr: '' });
});

test('`list --all` includes the private workflows, in file order', async (t) => {
  const listed = await workflow(t, ORDERED, ['list', '--all']);
  assert.deepEqual(listed, { code: 0, document: [zebra, hidden, ten, apple], stderr: '' });
});

test('the fields of a list entry are in the order of the specification', async (t) => {
  const { stdout } = await inProcess(t, ['workflow', 'list'], {
    cwd: workflowDirectory(t, '{"workflows": {"a": {"steps": []}}}'),
  });
  assert.equal(stdout, '[{"name":"a","description":"","private":false,"step_count":0}]\n');
});

test('a list of no workflows is an empty array, also with --pretty', async (t) => {
  const cwd = workflowDirectory(t, '{"workflows": {"a": {"private": true, "steps": []}}}');
  assert.equal((await inProcess(t, ['workflow', 'list'], { cwd })).stdout, '[]\n');
  assert.equal((await inProcess(t, ['workflow', 'list', '--pretty'], { cwd })).stdout, '[]\n');
});

test('`list` has the policy for agents of workflows that have one of their own', async (t) => {
  const workflows = { a: { agents: 'deny', steps: [] }, b: { steps: [] } };
  const entry = { description: '', private: false, step_count: 0 };
  assert.deepEqual(await workflow(t, { agents: 'allow', workflows }, ['list']), {
    code: 0,
    document: [
      { name: 'a', ...entry, agents: 'deny' },
      { name: 'b', ...entry },
    ],
    stderr: '',
  });
});

test('`list` accepts cycles and unknown references', async (t) => {
  const workflows = { a: { steps: [{ workflow: 'a' }] }, b: { steps: [{ workflow: 'nosuch' }] } };
  const entry = { description: '', private: false, step_count: 1 };
  assert.deepEqual(await workflow(t, { workflows }, ['list']), {
    code: 0,
    document: [
      { name: 'a', ...entry },
      { name: 'b', ...entry },
    ],
    stderr: '',
  });
});

test('`list` rejects a malformed file, whichever workflow is malformed', async (t) => {
  const workflows = { a: { steps: [] }, b: { private: true, steps: [1] } };
  assert.deepEqual(await workflow(t, { workflows }, ['list']), {
    code: 2,
    document: undefined,
    stderr: [
      `.cli/workflow.json:1:61: error: workflow 'b': step 1: must be a command (a string) or an object, found a number; for example { "name": "test", "run": "npm test" }`,
      '    1 | {"workflows":{"a":{"steps":[]},"b":{"private":true,"steps":[1]}}}',
      '      |                                                             ^',
      '',
    ].join('\n'),
  });
});
