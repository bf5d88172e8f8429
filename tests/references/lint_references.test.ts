import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { toolInProcess } from '../support/in_process.ts';
import { answer, ci } from '../support/workflow.ts';
import { assertCpuTime } from '../support/cpu_time.ts';

/** A step with the output X. */
const A = { name: 'a', run: 'give', outputs: { X: '$.x' } };

const MAKE_PRIVATE = "; if 'listed' is only meant to be called by other workflows, make it private";

/** The message for a reference to a step `a` that no earlier step of a run matches. */
const noStep = (run: string, field = 'run', hint = ''): string =>
  `'${field}': \${steps.a.X}: in a run of '${run}', no earlier step has this name${hint}`;

/** The warning about an unset variable of step 2. */
function unset(name: string): string {
  return `warning: workflow 'ci': step 2: $${name} is used but never set; if it comes from outside, mention it in a description or write \${${name}:?}`;
}

/** The messages of `validate`, one per line. Warnings begin with `warning: `. */
async function found(t: TestContext, file: object): Promise<string[]> {
  const cwd = workflowDirectory(t, file);
  const { stderr } = await answer(t, ['workflow', 'validate'], { cwd });
  const lines = stderr.matchAll(/^\S+:\d+:\d+: (?:error: |(warning: ))(.*)$/gm);
  return [...lines].map(([, severity = '', message = '']) => `${severity}${message}`);
}

describe('references to outputs are not variables', () => {
  test('a value that is an output decides no condition', async (t) => {
    const step = { run: './b', if: 'B', with: { B: '${steps.a.X}' } };
    assert.deepEqual(await found(t, ci([A, step])), []);
  });

  test('the names in a reference are neither used nor set by the command', async (t) => {
    const both = await found(t, ci([A, 'echo ${steps.a.X} "$X" $a \'${steps.a.X}\' $steps']));
    assert.deepEqual(both, [unset('X'), unset('a'), unset('steps')]);
  });

  test('a quote in the name of a step does not count as a quote', async (t) => {
    const step = { ...A, name: "it's" };
    const messages = await found(t, ci([step, "echo ${steps.it's.X} $Y 'and $Z'"]));
    assert.deepEqual(
      messages.map((message) => message.match(/\$\w+ is used/)?.[0]),
      ['$Y is used'],
    );
  });

  test('a parameter named only in a reference counts as unmentioned', async (t) => {
    const file = ci([A, { run: 'echo ${steps.a.X}', if: 'test ${steps.a.X}', with: { B: '${steps.a.X}' } }]);
    const args = ['workflow', 'run', 'ci', '--dry-run', '--quiet', '--strict', 'X:1', 'a:2', 'steps:3'];
    const { code, stderr } = await answer(t, args, { cwd: workflowDirectory(t, file) });
    const messages = stderr.replaceAll(/; did you mean .*/g, '');
    const sentence = "cli: nothing in workflow 'ci' mentions the parameter";
    assert.deepEqual([code, messages], [2, `${sentence} 'X'\n${sentence} 'a'\n${sentence} 'steps'\n`]);
  });
});

describe('the hook finally is checked like the other hooks', () => {
  test('an unset variable in finally causes a warning', async (t) => {
    const messages = await found(t, ci([], { finally: 'echo $NOPE' }));
    assert.deepEqual(messages, [
      'warning: $NOPE is used but never set; if it comes from outside, mention it in a description or write ${NOPE:?}',
    ]);
  });

  for (const hook of ['before_all', 'after_all', 'error', 'finally']) {
    test(`an env of the file that only ${hook} sees has an effect`, async (t) => {
      const workflows = { ci: { env: { A: '1' }, steps: ['echo $A'] } };
      const overridden = "warning: 'env.A' has no effect: an inner scope always overrides it";
      assert.deepEqual(await found(t, { env: { A: '0' }, workflows }), [overridden]);
      assert.deepEqual(await found(t, { env: { A: '0' }, [hook]: 'echo $A', workflows }), []);
    });
  }

  test('an env entry used only by finally has an effect, and a variable with a default causes no warning', async (t) => {
    const steps = [{ run: 'echo $A $B', with: { A: '1' } }];
    assert.deepEqual(await found(t, ci(steps, { env: { A: '0' }, finally: 'echo $A ${B:-none}' })), []);
  });
});

describe('unresolved references', () => {
  const called = { private: true, steps: [{ run: 'b ${steps.a.X}', with: { V: '${steps.a.X}' } }] };
  const file = {
    workflows: { ci: { steps: ['a ${steps.a.X} ${steps.a.X}', { workflow: 'b' }, { workflow: 'b' }] }, b: called },
  };
  const expected = [
    `workflow 'ci': step 1: ${noStep('ci')}`,
    `workflow 'b': step 1: ${noStep('ci')}`,
    `workflow 'b': step 1: ${noStep('ci', 'with.V')}`,
  ];

  test('validate reports each reference once', async (t) => assert.deepEqual(await found(t, file), expected));

  test('a run reports each reference, and starts nothing', async (t) => {
    const { code, document, stderr } = await answer(t, ['workflow', 'run', 'ci', '--dry-run'], {
      cwd: workflowDirectory(t, file),
    });
    const messages = stderr.match(/(?<=error: ).*/g);
    assert.deepEqual([code, document, messages], [2, undefined, expected]);
  });

  test('the nearest output is suggested, or the first ones are listed', async (t) => {
    const outputs = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`OUTPUT_${n}`, `$[${n}]`]));
    const steps = [{ ...A, outputs }, 'echo ${steps.a.OUPTUT_3}', 'echo ${steps.a.zzz}'];
    const start = "in a run of 'ci', the last earlier step of this name has no such output";
    assert.deepEqual(await found(t, ci(steps)), [
      `workflow 'ci': step 2: 'run': \${steps.a.OUPTUT_3}: ${start}; did you mean 'OUTPUT_3'?`,
      `workflow 'ci': step 3: 'run': \${steps.a.zzz}: ${start}; its outputs are: OUTPUT_0, OUTPUT_1, OUTPUT_2, OUTPUT_3, OUTPUT_4, OUTPUT_5, OUTPUT_6, OUTPUT_7 and 2 more`,
    ]);
  });

  test('a private workflow may read the outputs of its callers, and is reported only if it is run by itself', async (t) => {
    const workflows = {
      ci: { steps: [A, { workflow: 'private' }, { workflow: 'listed' }] },
      private: { private: true, steps: ['echo ${steps.a.X}'] },
      listed: { steps: ['echo ${steps.a.X}'] },
      alone: { private: true, steps: ['echo ${steps.a.X}'] },
    };
    assert.deepEqual(await found(t, { workflows }), [
      `workflow 'listed': step 1: ${noStep('listed', 'run', MAKE_PRIVATE)}`,
      `workflow 'alone': step 1: ${noStep('alone')}`,
      "warning: workflow 'alone': never used: it is private, and no public workflow calls it, not even indirectly",
    ]);
    const args = ['workflow', 'run', 'private', '--dry-run'];
    const { code, stderr } = await answer(t, args, { cwd: workflowDirectory(t, { workflows }) });
    assert.deepEqual(
      [code, stderr.split('\n')[0]?.replace(/.*error: /, '')],
      [2, `workflow 'private': step 1: ${noStep('private')}`],
    );
  });

  test('validate checks up to a million operations, and a run checks its own in any case', async (t) => {
    const many = { private: true, steps: Array.from({ length: 99_990 }, () => 'true') };
    const caller = { steps: [{ workflow: 'many' }] };
    const callers = Array.from({ length: 10 }, (_, n) => [`w${n}`, caller]);
    const last = { steps: [{ workflow: 'many' }, 'echo ${steps.a.X}'] };
    const small = { steps: ['echo ${steps.a.X}'] };
    const workflows = { ...Object.fromEntries(callers), last, small, many };
    assert.deepEqual(await found(t, { workflows }), [`workflow 'small': step 1: ${noStep('small')}`]);
    const args = ['workflow', 'run', 'last', '--dry-run'];
    const { code, stderr } = await answer(t, args, { cwd: workflowDirectory(t, { workflows }) });
    assert.deepEqual(
      [code, stderr.split('\n')[0]?.replace(/.*error: /, '')],
      [2, `workflow 'last': step 2: ${noStep('last')}`],
    );
  });

  test('a hook with a reference that no run resolves is reported once', async (t) => {
    const workflows = { ci: { steps: [A] }, two: { steps: [] }, three: { steps: [] } };
    assert.deepEqual(await found(t, { before_all: 'echo ${steps.a.X}', workflows }), [
      noStep('ci', 'before_all', '; a later step has it'),
    ]);
    const nowhere = { two: { steps: [] }, three: { steps: [] } };
    const messages = await found(t, { finally: 'echo ${steps.a.X}', workflows: nowhere });
    assert.deepEqual(messages, [noStep('two', 'finally')]);
  });

  test('a hook may refer to a step of any workflow of the file', async (t) => {
    const workflows = { ci: { steps: [A] }, two: { steps: [] } };
    assert.deepEqual(await found(t, { finally: 'echo ${steps.a.X}', workflows }), []);
  });
});

test('a reference to an output in a directory or an env causes a warning that it is not expanded', async (t) => {
  const workflows = {
    ci: { dir: '${steps.a.X}', description: '${steps.a.X}', steps: [A, { run: 'b', name: '$b', dir: '$HOME/b' }] },
  };
  const dir = "'dir' contains a $NAME, which is not expanded: write ${vars.NAME}, or use cd in the command";
  assert.deepEqual(await found(t, { env: { V: '${steps.a.X}' }, workflows }), [
    "warning: 'env.V' contains a reference to an output, which is not expanded here: use it in the 'with' of a step",
    `warning: workflow 'ci': ${dir}`,
    `warning: workflow 'ci': step 2: ${dir}`,
  ]);
});

test('a malformed reference in a value is not quoted, because it may be a secret', async (t) => {
  const step = { run: './b', with: { B: '${steps.a.X:=hunter2}', C: '${steps.hunter2' } };
  const rule =
    'is not a reference: write ${steps.NAME.KEY} or ${steps.NAME.KEY:-text}, where KEY is the name of a variable';
  assert.deepEqual(await found(t, ci([A, step])), [
    `workflow 'ci': step 2: 'with.B': \${steps.…} ${rule}`,
    `workflow 'ci': step 2: 'with.C': \${steps.…} ${rule}`,
  ]);
});

/** A file in which `ci` calls levels of workflows that each call the next one twice, down to the last steps. */
function doubled(levels: number, steps: readonly unknown[], last: readonly unknown[]): object {
  const workflows = Array.from({ length: levels }, (_, n) => {
    const call = { workflow: `d${n + 1}` };
    return [`d${n}`, { private: true, steps: [call, call] }] as const;
  });
  const end = { private: true, steps: last };
  return { workflows: { ci: { steps }, ...Object.fromEntries(workflows), [`d${levels}`]: end } };
}

test('references count as operations, and calls multiply them', async (t) => {
  const step = { ...A, run: `./a ${'${steps.a.X} '.repeat(3200)}` };
  const file = doubled(5, [A, { workflow: 'd0' }], [step]);
  const args = ['workflow', 'run', 'ci', '--dry-run'];
  const { code, stderr } = await answer(t, args, { cwd: workflowDirectory(t, file) });
  const message = "cli: workflow 'ci': calls expand to 102496 operations; the limit is 100000\n";
  assert.deepEqual([code, stderr], [2, message]);
});

describe('a file with many references takes linear time', () => {
  const keys = Array.from({ length: 50_000 }, (_, n) => `K${n}`);
  const many = { ...A, outputs: Object.fromEntries(keys.map((key) => [key, `$.${key}`])) };
  const workflow = (n: number): object => ({ steps: [A, 'echo ${steps.a.X}', { workflow: `w${n + 1}` }] });
  const chain = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`w${n}`, workflow(n)]));
  const few = { ...A, outputs: Object.fromEntries(keys.slice(0, 3000).map((key) => [key, `$.${key}`])) };
  const multiplied = doubled(14, [{ workflow: 'd0' }], [few, 'echo ${steps.a.K7}']);
  for (const [what, file, code] of [
    ['99,000 references in a command', ci([A, `echo ${'${steps.a.X} '.repeat(99_000)}`]), 0],
    ['99,000 references in a value', ci([A, { run: 'b', with: { B: '${steps.a.X} '.repeat(99_000) } }]), 0],
    ['50,000 outputs that a command uses', ci([many, `echo ${keys.map((key) => `\${steps.a.${key}}`).join(' ')}`]), 0],
    [
      '50,000 outputs, none of which matches',
      ci([many, ...keys.slice(0, 1000).map((key) => `\${steps.a._${key}_}`)]),
      1,
    ],
    [
      '20,000 steps of one name that each read the previous one',
      ci([A, ...Array.from({ length: 20_000 }, () => ({ ...A, run: './a ${steps.a.X}' }))]),
      0,
    ],
    ['3,000 outputs of a step called 16,384 times', multiplied, 0],
    ['500 listed workflows that call each other', { workflows: { ...chain, w500: { steps: [] } } }, 0],
    ['a million unterminated references', ci([{ run: 'b', with: { B: '${steps.'.repeat(1_000_000) } }]), 1],
  ] as const) {
    test(`${what}: validation takes at most 60 times the CPU time of parsing 8 MB`, async (t) => {
      const [input, tool] = [JSON.stringify(file), toolInProcess(t)];
      const { code: ended, stdout } = await assertCpuTime(60, () =>
        tool(['workflow', 'validate', '--file', '-'], { input }),
      );
      assert.deepEqual([ended, stdout.length < 500_000], [code, true]);
    });
  }
});
