import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan, Variable } from '../../src/ir/plan.ts';
import { digest } from '../../src/ir/steps/digest.ts';
import { createFingerprints, identify, pathsOf, type Fingerprint } from '../../src/ir/steps/identity.ts';
import { compiled } from '../support/plans.ts';
import { ci } from '../support/workflow.ts';

/** The ids of a plan's ops. */
function idsOf(file: object): string[] {
  const plan = compiled(JSON.stringify(file), 'ci');
  return [...identify(plan)].filter(({ kind }) => kind !== 'call').map(({ path }) => path.join(' / '));
}

/** The prints of the steps and conditions of a plan, in order. */
function printsOf(file: object, params: readonly Variable[] = []): Fingerprint[] {
  const plan: Plan = compiled(JSON.stringify(file), 'ci', params);
  const fingerprintOf = createFingerprints(plan);
  return plan.ops.flatMap((op) => (op.kind === 'run' || op.kind === 'condition' ? fingerprintOf(op) : []));
}

const run = (command: string): string => `run:${digest(command)}`;

test('the id of a step is its name, or else the digest of its command', () => {
  assert.deepEqual(idsOf(ci([{ name: 'build', run: 'make' }, 'make test'])), ['name:build', run('make test')]);
});

test('a name equal to the default name of a step is ignored', () => {
  assert.deepEqual(
    idsOf(
      ci([
        { name: 'step_1', run: 'make' },
        { name: 'step_1', run: 'make' },
      ]),
    ),
    [run('make'), 'name:step_1'],
  );
});

test('the id of a call is its name or its workflow, and the ids of its steps begin with it', () => {
  const file = {
    workflows: {
      ci: { steps: [{ workflow: 'build' }, { workflow: 'build', name: 'again' }, 'after'] },
      build: { steps: [{ name: 'compile', run: 'make' }, { workflow: 'deep' }, 'last'] },
      deep: { steps: ['x'] },
    },
  };
  const inner = ['name:compile', `call:deep / ${run('x')}`, run('last')];
  assert.deepEqual(idsOf(file), [
    ...inner.map((id) => `call:build / ${id}`),
    ...inner.map((id) => `name:again / ${id}`),
    run('after'),
  ]);
});

test('repeated ids within a call have a number in front, from the second one on', () => {
  const file = {
    workflows: {
      ci: {
        steps: ['x', { name: 'a', run: 'x' }, 'x', { name: 'a', run: 'y' }, { workflow: 'w' }, 'x', { workflow: 'w' }],
      },
      w: { steps: ['x', 'x'] },
    },
  };
  const x = run('x');
  assert.deepEqual(idsOf(file), [
    x,
    'name:a',
    `2.${x}`,
    '2.name:a',
    `call:w / ${x}`,
    `call:w / 2.${x}`,
    `3.${x}`,
    `2.call:w / ${x}`,
    `2.call:w / 2.${x}`,
  ]);
});

test('the id of a condition is that of its step or call with `if`, and the step is counted once', () => {
  const file = {
    workflows: {
      ci: { steps: [{ run: 'x', if: 'A' }, { run: 'x', if: 'true' }, { workflow: 'w', if: 'B' }, { workflow: 'w' }] },
      w: { steps: [{ name: 'in', run: 'y', if: 'C' }] },
    },
  };
  const x = run('x');
  assert.deepEqual(idsOf(file), [
    `${x} / if`,
    x,
    `2.${x} / if`,
    `2.${x}`,
    'call:w / if',
    'call:w / name:in / if',
    'call:w / name:in',
    '2.call:w / name:in / if',
    '2.call:w / name:in',
  ]);
});

test('calls without steps are counted, with and without a condition', () => {
  const file = {
    workflows: {
      ci: { steps: [{ workflow: 'none' }, { workflow: 'none', if: 'A' }, { workflow: 'outer' }, 'x'] },
      outer: { steps: [{ workflow: 'none' }] },
      none: { steps: [] },
    },
  };
  const plan = compiled(JSON.stringify(file), 'ci');
  assert.deepEqual(
    [...identify(plan)].map(({ kind, path }) => `${kind} ${path.join(' / ')}`),
    [
      'call call:none',
      'condition 2.call:none / if',
      'call 2.call:none',
      'call call:outer',
      'call call:outer / call:none',
      `run ${run('x')}`,
    ],
  );
});

test('the id of a hook is its name', () => {
  const hooks = { before_all: 'x', after_all: 'x', error: 'x', finally: 'x' };
  assert.deepEqual(idsOf(ci(['x'], hooks)), [
    'hook:before_all',
    run('x'),
    'hook:after_all',
    'hook:error',
    'hook:finally',
  ]);
});

test('the cursor returns the same ids when ops are skipped', () => {
  const steps = Array.from({ length: 30 }, (_, index) => ({ run: `x ${index % 4}`, if: index % 3 === 0 ? 'A' : '' }));
  const plan = compiled(JSON.stringify(ci(steps, { before_all: 'b', finally: 'f' })), 'ci');
  const all = [...identify(plan)].map(({ path }) => path);
  for (const stride of [1, 2, 7]) {
    const pathOf = pathsOf(plan, identify(plan));
    for (let index = 0; index < plan.ops.length; index += stride) {
      assert.deepEqual(pathOf(index), all[index]);
      assert.deepEqual(pathOf(index), all[index]);
    }
  }
  const pathOf = pathsOf(plan, identify(plan));
  pathOf(5);
  assert.throws(() => pathOf(4), /^Error: op 4 lies before the cursor$/);
  assert.throws(() => pathOf(plan.ops.length), /^Error: the plan has no entry/);
});

test('a print contains the command, directory and outputs as written', () => {
  const step = { name: 'a', run: 'make "${steps.b.X}"', dir: 'sub', outputs: { VERSION: '$.v' } };
  const file = ci([{ name: 'b', run: 'b', outputs: { X: '$.x' } }, step]);
  assert.deepEqual(printsOf(file)[1], {
    command: 'make "${steps.b.X}"',
    dir: 'sub',
    outputs: [['VERSION', ['v']]],
    vars: [],
  });
});

test('a print contains digests of the variables that the command mentions and that the file or a parameter sets', () => {
  const env = { MODE: 'fast', UNUSED: 'x', MODES: 'y', P: 'file' };
  const [print] = printsOf(ci(['make $MODE; for v in P HOME $MODE; do :; done'], { env }), [['P', 'param']]);
  assert.deepEqual(print?.vars, [
    ['MODE', digest('fast')],
    ['P', digest('param')],
  ]);
});

test('a print contains no digest of a variable with a secret name', () => {
  const env = { API_TOKEN: 'hunter2', MODE: 'fast' };
  const [print] = printsOf(ci(['use $API_TOKEN $MODE'], { env }));
  assert.deepEqual(print?.vars, [['MODE', digest('fast')]]);
});

test('the words of a reference do not count as variables', () => {
  const file = ci([{ name: 'b', run: 'b', outputs: { MODE: '$.x' } }, 'make "${steps.b.MODE}"'], {
    env: { MODE: 'x' },
  });
  assert.deepEqual(printsOf(file)[1]?.vars, []);
});

test('a print does not depend on fields that leave the command unchanged', () => {
  const plain = ci([{ name: 'a', run: 'make' }]);
  const other = ci([
    { name: 'b', run: 'make', retry: { max_attempts: 2, delay: '1s' }, timeout: '1m', allow_failure: true },
  ]);
  assert.deepEqual(printsOf(plain), printsOf(other));
});

test('a variable tested by a condition is in its print if the file sets it', () => {
  assert.deepEqual(printsOf(ci([{ run: 'x', if: 'A' }], { env: { A: '1' } }))[0], {
    command: 'A',
    dir: null,
    outputs: [],
    vars: [['A', digest('1')]],
  });
  assert.deepEqual(printsOf(ci([{ run: 'x', if: 'A' }]))[0]?.vars, []);
});

test('digests differ for different texts, and have the same form', () => {
  const texts = ['', 'a', 'b', 'ab', 'ba', 'é', '\u0001', '🎉', 'x'.repeat(1000), `${'x'.repeat(999)}y`];
  const many = Array.from({ length: 20_000 }, (_, index) => `echo ${index}`);
  const all = [...texts, ...many].map(digest);
  assert.equal(new Set(all).size, all.length);
  assert.ok(all.every((each) => /^[0-9a-f]{16}$/.test(each)));
});
