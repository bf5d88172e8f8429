import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { inProcess } from '../support/in_process.ts';

/** The dry run, the plan and the list of a file with one step or workflow. */
async function shownFor(t: TestContext, workflow: object): Promise<string[]> {
  const cwd = workflowDirectory(t, { workflows: { w: workflow } });
  const shown: string[] = [];
  for (const words of [
    ['workflow', 'run', 'w', '--dry-run'],
    ['plan', 'w'],
    ['workflow', 'list'],
    ['graph', 'w'],
  ]) {
    const { code, stdout, stderr } = await inProcess(t, words, { cwd });
    assert.equal(code, 0);
    shown.push(stdout, stderr);
  }
  return shown;
}

const run = 'make\nmake check';

/** Short forms, and the same in the long form. */
const FORMS: Readonly<Record<string, readonly [short: object, long: object]>> = {
  'a number of attempts': [
    { steps: [{ run, retry: 3 }] },
    { steps: [{ run, retry: { max_attempts: 3, delay: '1s' } }] },
  ],
  'a retry without a delay': [
    { steps: [{ run, retry: { max_attempts: 3 } }] },
    { steps: [{ run, retry: { max_attempts: 3, delay: '1s' } }] },
  ],
  'the question of a named step': [
    { steps: [{ name: 'upload', run, confirm: true }] },
    { steps: [{ name: 'upload', run, confirm: "Run 'upload'?" }] },
  ],
  'the question of an unnamed step': [
    { steps: [{ run, confirm: true }] },
    { steps: [{ run, confirm: "Run 'make'?" }] },
  ],
  'the question of an unnamed script': [
    { steps: [{ run: ['cd app', 'make'], confirm: true }] },
    { steps: [{ run: ['cd app', 'make'], confirm: "Run 'cd app'?" }] },
  ],
  'no question': [{ steps: [{ run, confirm: false }] }, { steps: [{ run }] }],
  'options without a type': [
    { inputs: { TRACK: { options: ['beta', 'stable'], default: 'beta' } }, steps: [run] },
    { inputs: { TRACK: { type: 'choice', options: ['beta', 'stable'], default: 'beta' } }, steps: [run] },
  ],
};

for (const [name, [short, long]] of Object.entries(FORMS)) {
  test(`a short form means the same as its long form in plans and documents: ${name}`, async (t) => {
    assert.deepEqual(await shownFor(t, short), await shownFor(t, long));
  });
}

test('options with another type than choice are still an error', async (t) => {
  const cwd = workflowDirectory(t, {
    workflows: { w: { inputs: { A: { type: 'string', options: ['a'] } }, steps: [] } },
  });
  const { code, stdout } = await inProcess(t, ['workflow', 'validate'], { cwd });
  assert.equal(code, 1);
  assert.match(stdout, /'inputs.A' has 'options', which apply only to \\"type\\": \\"choice\\"/);
});

test('no message contains the name of a system error', async (t) => {
  const cwd = workflowDirectory(t, { include: { a: 'gone.json' }, workflows: {} });
  const messages = {
    'list -f gone.json': 'cli: cannot read gone.json: it does not exist\n',
    'workflow init': 'cli: cannot write .cli/workflow.json: it exists already\ncli: no file was created\n',
  };
  for (const [line, stderr] of Object.entries(messages)) {
    assert.equal((await inProcess(t, line.split(' '), { cwd })).stderr, stderr);
  }
  const { stdout } = await inProcess(t, ['validate'], { cwd });
  assert.match(stdout, /error: cannot read '\.cli\/gone\.json': it does not exist\n/);
});
