/* Negative values such as `false` in a variable that a condition tests, where any non-empty value holds. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { quickCli as cli, toolInProcess } from '../support/in_process.ts';
import { ci, result, runCi } from '../support/workflow.ts';

/** A run that would fail if it started. */
const FILE = ci([{ run: 'exit 1' }, { name: 'submit', run: 'exit 2', if: 'SUBMIT' }], { before_all: 'exit 3' });
const NO = (value: string, source: string): string =>
  `tests SUBMIT, whose value '${value}' (${source}) counts as true, because it is not empty; leave the value empty instead (SUBMIT:), or declare SUBMIT as a boolean input`;
const REFUSED = (value: string, source: string, column = 69): string =>
  `.cli/workflow.json:1:${column}: error: workflow 'ci': step 2: 'if' ${NO(value, source)}\n`;

for (const value of ['false', '0', 'no', 'n', 'off', 'FALSE', ' No\t']) {
  test(`a run does not start if the tested variable is ${JSON.stringify(value)}`, async (t) => {
    const refused = { code: 2, document: undefined, stderr: REFUSED(value.trim(), 'parameters') };
    assert.deepEqual(await runCi(t, FILE, [`SUBMIT:${value}`]), refused);
    assert.deepEqual(await runCi(t, FILE, [`SUBMIT:${value}`, '--dry-run', '--quiet']), refused);
  });
}

for (const value of ['true', '', 'none', '00', 'f', 'never', 'no way']) {
  test(`a run starts if the tested variable is ${JSON.stringify(value)}`, async (t) => {
    const { code, stderr } = await runCi(t, ci([{ run: ':', if: 'SUBMIT' }]), [`SUBMIT:${value}`]);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  });
}

describe('sources of negative values', () => {
  const sources = [
    ['the process', FILE, [], { SUBMIT: 'no' }, REFUSED('no', 'environment')],
    [
      'the file',
      ci([':', { run: ':', if: 'SUBMIT' }], { env: { SUBMIT: 'no' } }),
      [],
      {},
      REFUSED('no', 'global env', 56),
    ],
    ['a parameter over the file', { ...FILE, env: { SUBMIT: 'yes' } }, ['SUBMIT:0'], {}, undefined],
  ] as const;
  for (const [name, file, words, env, stderr] of sources) {
    test(`the source of a negative value is named: ${name}`, async (t) => {
      const outcome = await runCi(t, file, words, { env });
      assert.deepEqual([outcome.code, outcome.document], [2, undefined]);
      assert.equal(outcome.stderr, stderr ?? REFUSED('0', 'parameters'));
    });
  }

  test('an empty parameter overrides a negative value of the process', async (t) => {
    const { code } = await runCi(t, ci([{ run: 'exit 1', if: 'SUBMIT' }]), ['SUBMIT:'], { env: { SUBMIT: 'false' } });
    assert.equal(code, 0);
  });
});

test('all conditions are checked, even unreachable ones, and each is reported once', async (t) => {
  const workflows = {
    ci: {
      steps: [
        { workflow: 'inner', if: 'UNSET' },
        { workflow: 'inner', if: 'UNSET' },
      ],
    },
    inner: {
      steps: [
        { run: ':', if: 'A', with: { A: 'off' } },
        { run: ':', if: 'TOKEN' },
      ],
    },
  };
  const { code, stderr } = await runCi(t, { workflows }, ['TOKEN:0']);
  const rest = 'counts as true, because it is not empty; leave the value empty instead';
  assert.deepEqual(
    [code, stderr.split('\n')],
    [
      2,
      [
        `.cli/workflow.json:1:118: error: workflow 'inner': step 1: 'if' tests A, whose value 'off' (with of inner step 1) ${rest} (A:), or declare A as a boolean input`,
        `.cli/workflow.json:1:158: error: workflow 'inner': step 2: 'if' tests TOKEN, whose value '***' (parameters) ${rest} (TOKEN:), or declare TOKEN as a boolean input`,
        '',
      ],
    ],
  );
});

test('explain and graph print a warning at the position, and their output', async (t) => {
  const tool = toolInProcess(t);
  const input = JSON.stringify(FILE);
  const warning = REFUSED('no', 'parameters').replace('.cli/workflow.json', '<stdin>').replace('error', 'warning');
  for (const command of ['explain', 'graph']) {
    const words = ['workflow', command, 'ci', 'SUBMIT:no', '--file', '-'];
    const { code, stdout, stderr } = await tool(words, { input });
    assert.deepEqual([code, stderr, stdout === ''], [0, warning, false], command);
  }
});

test('a negative value of an output fails the run at the condition, with the same message', async (t) => {
  const give = { name: 'give', run: 'echo \'["No"]\'', outputs: { ANSWER: '$[0]' } };
  const submit = { name: 'submit', run: 'exit 1', if: 'SUBMIT', with: { SUBMIT: '${steps.give.ANSWER}' } };
  const file = ci([give, submit, 'exit 2'], { error: 'echo the hook' });
  const cwd = workflowDirectory(t, file);
  const { code, stdout, stderr } = await cli(['workflow', 'run', 'ci'], { cwd });
  const steps = [{ name: 'give', command: give.run, exit_code: 0, outputs: { ANSWER: 'No' } }];
  const hook = { error: { command: 'echo the hook', exit_code: 0 } };
  assert.deepEqual([code, JSON.parse(stdout)], [1, result(false, steps, hook)]);
  assert.deepEqual(stderr.split('\n'), [
    '["No"]',
    `cli: the condition of step 2 of workflow 'ci' ${NO('No', 'with of ci step 2')}`,
    'the hook',
    '',
  ]);
});
