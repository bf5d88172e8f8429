import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ci, entry, result, runCi, workflow } from '../support/workflow.ts';

test('a bare name as `if` is a variable, and holds for any non-empty value', async (t) => {
  const env = { ZEROS: '00', NEVER: 'never', BLANK: ' ', EMPTY: '' };
  const names = ['ZEROS', 'NEVER', 'BLANK', 'EMPTY', 'UNSET'];
  const steps = names.map((name) => ({ name, run: ':', if: name }));
  const { document } = await runCi(t, ci(steps, { env }));
  const ran = ['ZEROS', 'NEVER', 'BLANK'].map((name) => entry(name, ':'));
  assert.deepEqual(document, result(true, ran));
});

test('a bare name as `if` sees the process environment and a parameter', async (t) => {
  const steps = ['INHERITED', 'PARAM'].map((name) => ({ name, run: ':', if: name }));
  const env = { INHERITED: 'x' };
  const { document } = await runCi(t, ci(steps), ['PARAM:x'], { env });
  assert.deepEqual(document, result(true, [entry('INHERITED', ':'), entry('PARAM', ':')]));
});

test('true and false as `if` are commands, even if variables have these names', async (t) => {
  const env = { true: '', false: 'x' };
  const steps = ['true', 'false', ' true '].map((test) => ({ run: ':', if: test }));
  const { document } = await runCi(t, ci(steps, { env }));
  assert.deepEqual(document, result(true, [entry('step_1', ':'), entry('step_3', ':')]));
});

test('any other `if` is a command: exit code 0 runs the step, every other one skips it, even 127', async (t) => {
  const tests = ['exit 0', 'exit 1', 'exit 126', './no-such-program 2>/dev/null', 'kill -9 $$'];
  const steps = tests.map((test) => ({ name: test, run: ':', if: test }));
  const { code, document, stderr } = await runCi(t, ci([...steps, 'echo after']));
  const ran = [entry('exit 0', ':'), entry('step_6', 'echo after')];
  assert.deepEqual({ code, document, stderr }, { code: 0, document: result(true, ran), stderr: 'after\n' });
});

test('an unset name as `if` is never run as a program', async (t) => {
  const { document, stderr } = await runCi(t, ci([{ run: 'echo never', if: 'env' }]));
  assert.deepEqual({ document, stderr }, { document: result(true, []), stderr: '' });
});

test('a blank `if` is ignored', async (t) => {
  const { document } = await runCi(
    t,
    ci([
      { run: ':', if: '' },
      { run: ':', if: ' \n\t' },
    ]),
  );
  assert.deepEqual(document, result(true, [entry('step_1', ':'), entry('step_2', ':')]));
});

test('`with` on a command sets variables for this step only', async (t) => {
  const steps = [{ run: 'echo [$A]', with: { A: 'x' } }, 'echo [$A]'];
  assert.equal((await runCi(t, ci(steps))).stderr, '[x]\n[]\n');
});

test('`with` is visible to the `if` of its step or call, as a variable and in a command', async (t) => {
  const shared = { with: { A: 'x' } };
  const steps = ['A', 'test $A = x'].flatMap((test) => [
    { run: 'echo step', if: test, ...shared },
    { workflow: 'called', if: test, ...shared },
  ]);
  const file = { workflows: { ci: { steps }, called: { steps: ['echo called'] } } };
  assert.equal((await runCi(t, file)).stderr, 'step\ncalled\nstep\ncalled\n');
});

test('a false condition on a call skips the whole called workflow', async (t) => {
  const file = {
    workflows: {
      ci: { steps: [{ workflow: 'called', if: 'false' }, 'echo after'] },
      called: { steps: ['echo never', { workflow: 'inner' }, 'echo never'] },
      inner: { steps: ['echo never'] },
    },
  };
  const { document, stderr } = await runCi(t, file);
  const ran = [entry('step_2', 'echo after')];
  assert.deepEqual({ document, stderr }, { document: result(true, ran), stderr: 'after\n' });
});

test('a condition does not read standard input, so the next step receives it', async (t) => {
  const steps = [{ run: 'read v; echo step $v', if: '! read v' }];
  assert.equal((await runCi(t, ci(steps), [], { input: 'a\n' })).stderr, 'step a\n');
});

test('a condition that cannot be started fails the run', async (t) => {
  const test = `: ${'x'.repeat(140_000)}`;
  const file = ci([{ run: 'echo never', if: test }, 'echo never'], { error: 'echo alarm' });
  const reason = 'the command is 140002 bytes long; the system takes less than 131072';
  assert.deepEqual(await runCi(t, file), {
    code: 1,
    document: { workflow: 'ci', steps: [], error: { command: 'echo alarm', exit_code: 0 }, success: false },
    stderr: `cli: the condition of step 1 of workflow 'ci' could not be started: ${reason}\nalarm\n`,
  });
});

test('scopes nest: process, global env, env of the workflow, env of the called workflow, with of the call, with of the step', async (t) => {
  const shows = 'echo $A $B $C $D $E $F';
  const file = {
    env: { B: '2', C: '2', D: '2', E: '2', F: '2' },
    workflows: {
      ci: { env: { C: '3', D: '3', E: '3', F: '3' }, steps: [{ workflow: 'called', with: { E: '5', F: '5' } }, shows] },
      called: { env: { D: '4', E: '4', F: '4' }, steps: [{ run: shows, with: { F: '6' } }] },
    },
  };
  const env = Object.fromEntries(['A', 'B', 'C', 'D', 'E', 'F'].map((name) => [name, '1']));
  assert.equal((await runCi(t, file, [], { env })).stderr, '1 2 3 4 5 6\n1 2 3 3 3 3\n');
  const params = ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => `${name}:7`);
  assert.equal((await runCi(t, file, params, { env })).stderr, '7 7 7 7 7 7\n7 7 7 7 7 7\n');
});

test('a called workflow does not affect the variables of its caller', async (t) => {
  const file = {
    workflows: {
      ci: { steps: [{ workflow: 'called', with: { A: 'with' } }, 'echo [$A] [$B] [$C]'] },
      called: { env: { B: 'env' }, steps: ['C=shell; export C'] },
    },
  };
  assert.equal((await runCi(t, file)).stderr, '[] [] []\n');
});

test('hooks see the process, the global env, the env of the started workflow, and parameters', async (t) => {
  const shows = 'echo $A $B $C $D [$E]';
  const file = {
    env: { B: '2', C: '2', D: '2' },
    before_all: shows,
    after_all: `${shows}; false`,
    error: shows,
    workflows: {
      ci: {
        env: { C: '3', D: '3' },
        steps: [
          { workflow: 'called', with: { A: '5', E: '5' } },
          { run: ':', with: { A: '6' } },
        ],
      },
      called: { env: { A: '4', E: '4' }, steps: [] },
    },
  };
  const env = { A: '1', B: '1', C: '1', D: '1' };
  const { stderr } = await workflow(t, file, ['run', 'ci', 'D:7'], { env });
  const failed = "cli: hook 'after_all' failed with exit code 1\n";
  assert.equal(stderr, `1 2 3 7 []\n1 2 3 7 []\n${failed}1 2 3 7 []\n`);
});
