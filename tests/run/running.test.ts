import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ci, entry, result, runCi, workflow } from '../support/workflow.ts';

test('only the shell expands variables: a value is data and cannot inject a command', async (t) => {
  const value = '$(echo injected) `echo injected` $A; echo injected';
  const { stderr } = await runCi(t, ci(['echo "$A"']), [`A:${value}`]);
  assert.equal(stderr, `${value}\n`);
});

test('an undefined variable expands to nothing', async (t) => {
  assert.equal((await runCi(t, ci(['echo [$NOWHERE] [${NOWHERE}]']))).stderr, '[] []\n');
});

test('`command` in the result is the command as written, before expansion', async (t) => {
  const command = 'test -n "$A" && test -n "${A}"';
  const file = ci([command], { before_all: 'test $A', after_all: 'test ${A}' });
  const hooks = { before_all: { command: 'test $A', exit_code: 0 }, after_all: { command: 'test ${A}', exit_code: 0 } };
  const { document } = await runCi(t, file, ['A:secret']);
  assert.deepEqual(document, result(true, [entry('step_1', command)], hooks));
});

test('the default name of a step is step_<n>, where n is its position in its own workflow', async (t) => {
  const file = {
    workflows: {
      ci: {
        steps: [':', { run: ':', name: 'named' }, { run: ':' }, { workflow: 'called' }, { run: ':', if: 'false' }, ':'],
      },
      called: { steps: [':', { run: ':' }] },
    },
  };
  const { document } = await runCi(t, file);
  const names = ['step_1', 'named', 'step_3', 'step_1', 'step_2', 'step_6'];
  assert.deepEqual(
    document,
    result(
      true,
      names.map((name) => entry(name, ':')),
    ),
  );
});

test('`steps` has one entry per executed command, and none for skipped steps and conditions', async (t) => {
  const file = {
    workflows: {
      ci: {
        steps: [
          { workflow: 'called', if: 'true' },
          { run: 'never', if: 'false' },
        ],
      },
      called: { steps: [{ run: 'echo one', if: 'true' }, { workflow: 'nothing' }] },
      nothing: { steps: [] },
    },
  };
  assert.deepEqual((await runCi(t, file)).document, result(true, [entry('step_1', 'echo one')]));
});

test('after a failed step, later steps do not run, `error` runs, and the document is printed', async (t) => {
  const file = {
    error: 'echo alarm',
    workflows: {
      ci: { steps: [':', 'exit 7', 'echo never', { workflow: 'called' }] },
      called: { steps: ['echo never'] },
    },
  };
  assert.deepEqual(await runCi(t, file), {
    code: 1,
    document: {
      workflow: 'ci',
      steps: [entry('step_1', ':'), entry('step_2', 'exit 7', 7)],
      error: { command: 'echo alarm', exit_code: 0 },
      success: false,
    },
    stderr: "cli: step 'step_2' of workflow 'ci' failed with exit code 7\nalarm\n",
  });
});

test('after a failed `before_all`, no step runs, `error` runs, and success is false', async (t) => {
  const hooks = { before_all: 'exit 3', after_all: 'echo never', error: 'echo alarm' };
  assert.deepEqual((await runCi(t, ci(['echo never'], hooks))).document, {
    workflow: 'ci',
    before_all: { command: 'exit 3', exit_code: 3 },
    steps: [],
    error: { command: 'echo alarm', exit_code: 0 },
    success: false,
  });
});

test('`after_all` runs only after success', async (t) => {
  const file = { after_all: 'echo after', workflows: { good: { steps: [':'] }, bad: { steps: ['false'] } } };
  const good = await workflow(t, file, ['run', 'good']);
  assert.equal(good.stderr, 'after\n');
  const bad = await workflow(t, file, ['run', 'bad']);
  assert.equal(bad.stderr, "cli: step 'step_1' of workflow 'bad' failed with exit code 1\n");
});

test('after a failed `after_all`, `error` runs, and success is false', async (t) => {
  const { code, document } = await runCi(t, ci([':'], { after_all: 'exit 4', error: 'echo alarm' }));
  const hooks = { after_all: { command: 'exit 4', exit_code: 4 }, error: { command: 'echo alarm', exit_code: 0 } };
  const expected = result(false, [entry('step_1', ':')], hooks);
  assert.deepEqual({ code, document }, { code: 1, document: expected });
});

test('a failing `error` hook is in the result and has no other effect', async (t) => {
  const { code, document } = await runCi(t, ci(['exit 2'], { error: 'exit 5' }));
  const hooks = { error: { command: 'exit 5', exit_code: 5 } };
  const expected = result(false, [entry('step_1', 'exit 2', 2)], hooks);
  assert.deepEqual({ code, document }, { code: 1, document: expected });
});

test('a blank hook is ignored', async (t) => {
  const blank = { before_all: '', after_all: ' \n', error: '\t' };
  assert.deepEqual((await runCi(t, ci([':'], blank))).document, result(true, [entry('step_1', ':')]));
  const failed = result(false, [entry('step_1', 'exit 1', 1)]);
  assert.deepEqual((await runCi(t, ci(['exit 1'], blank))).document, failed);
});

test('the exit code of a command is that of the shell: 127 not found, 126 not executable, 128+n for a signal', async (t) => {
  const commands = { './nosuch': 127, './.cli/workflow.json': 126, 'kill -9 $$': 137, 'kill $$': 143 };
  const workflows = Object.fromEntries(
    Object.keys(commands).map((run, index) => [`ci${index}`, { steps: [{ name: 'x', run }] }]),
  );
  for (const [index, [command, exitCode]] of Object.entries(commands).entries()) {
    const { document } = await workflow(t, { workflows }, ['run', `ci${index}`]);
    const steps = [entry('x', command, exitCode)];
    assert.deepEqual(document, { workflow: `ci${index}`, steps, success: false });
  }
});

test('a private workflow can be run by name', async (t) => {
  const file = { workflows: { ci: { private: true, steps: [':'] } } };
  assert.deepEqual((await runCi(t, file)).document, result(true, [entry('step_1', ':')]));
});

test('a parameter is KEY:VALUE or KEY=VALUE, split at the first sign, and the last of two applies', async (t) => {
  const words = ['A:b=c', 'B=c:d', 'C:', 'D:1', 'D=2', '_x1:y'];
  const { stderr } = await runCi(t, ci(['echo "$A|$B|${C-unset}|$D|$_x1"']), words);
  assert.equal(stderr, 'b=c|c:d||2|y\n');
});

test('the value of a parameter is passed byte for byte', async (t) => {
  const values = ['007', '1e3', '--pretty', ' a  b ', 'ünï 大 😀', '\'"', '\\n', 'a\tb\nc', 'null'];
  const words = values.map((value, index) => `P${index}:${value}`);
  const names = values.map((_, index) => `"$P${index}"`).join(' ');
  const { document, stderr } = await runCi(t, ci([`printf '%s|' ${names}`]), ['--quiet', ...words]);
  assert.equal(stderr, values.map((value) => `${value}|`).join(''));
  assert.deepEqual(document, result(true, [entry('step_1', `printf '%s|' ${names}`)]));
});

test('an invalid parameter is a usage error, and nothing runs', async (t) => {
  const refused = await runCi(t, ci(['echo never']), ['A:1', 'word', '1A:1', ':x', 'A B=1']);
  const name = 'is not a valid variable name: use letters, digits and underscores, and do not start with a digit';
  assert.deepEqual(refused, {
    code: 2,
    document: undefined,
    stderr: [
      "cli: parameter 2 ('word') is not of the form KEY:VALUE",
      `cli: the key of parameter 3 ('1A') ${name}`,
      `cli: the key of parameter 4 ('') ${name}`,
      `cli: the key of parameter 5 ('A B') ${name}`,
      'cli: usage: cli run ci',
      '',
    ].join('\n'),
  });
});

test('steps and hooks inherit standard input, and each continues where the previous one stopped', async (t) => {
  const read = 'read v; echo $v';
  const file = ci([read], { before_all: read, after_all: read });
  assert.equal((await runCi(t, file, [], { input: 'a\nb\nc\n' })).stderr, 'a\nb\nc\n');
});
