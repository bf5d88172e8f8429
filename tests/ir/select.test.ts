import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveStep } from '../../src/ir/steps/resolve_step.ts';
import { conditionParts } from '../../src/ir/ops.ts';
import { compiled } from '../support/plans.ts';

const FILE = {
  before_all: 'before',
  workflows: {
    ci: {
      steps: [
        { name: 'check', run: 'check', if: 'A' },
        { workflow: 'build' },
        { workflow: 'build', name: 'rebuild', if: 'B' },
        { name: 'build/compile', run: 'odd' },
        { workflow: 'none' },
        'last',
        { name: '1', run: 'one' },
        { workflow: 'none', name: 'end' },
      ],
    },
    build: { steps: [{ name: 'compile', run: 'make' }, { workflow: 'pack' }] },
    pack: { steps: [{ name: 'zip', run: 'zip', if: 'C' }, 'sum'] },
    none: { steps: [] },
  },
};

/** The commands that a text selects, or the candidates. */
function selected(text: string, file: object = FILE): unknown {
  const plan = compiled(JSON.stringify(file), 'ci');
  const found = resolveStep(plan, text);
  if (found.kind !== 'one') return found;
  const { start, end } = found.range;
  return plan.ops.slice(start, end).map((op) => {
    if (op.kind === 'condition')
      return op.test.kind === 'variable' ? `if ${op.test.name}` : conditionParts(op.test).code;
    assert.ok(op.kind !== 'stop');
    return op.kind === 'parallel' ? op.name : op.command;
  });
}

for (const [text, what, commands] of [
  ['check', 'a name selects its step, with its condition', ['if A', 'check']],
  ['rebuild', 'the name of a call selects all its steps', ['if B', 'make', 'if C', 'zip', 'sum']],
  ['build', 'a call without a name is selected by its workflow', ['make', 'if C', 'zip', 'sum']],
  ['rebuild/compile', 'a path selects a step of a call', ['make']],
  ['build/pack/zip', 'a path selects a step of a nested call', ['if C', 'zip']],
  ['rebuild/pack', 'a path can end at a call', ['if C', 'zip', 'sum']],
  ['build/compile', 'a name has precedence over a path', ['odd']],
  ['2', 'a number selects a step of the started workflow', ['make', 'if C', 'zip', 'sum']],
  ['1', 'a name has precedence over a number', ['one']],
  ['6', 'a number selects a command without a name', ['last']],
  ['step_6', 'a default name selects a command without a name', ['last']],
  ['5', 'a call without steps can be selected', []],
  ['end', 'the last call without steps can be selected', []],
] as const) {
  test(`--from ${text}: ${what}`, () => {
    assert.deepEqual(selected(text), commands);
  });
}

test('a name of several steps selects none of them, and their paths are listed', () => {
  assert.deepEqual(selected('zip'), { kind: 'several', paths: ['build/pack/zip', 'rebuild/pack/zip'] });
});

test('a text that selects no step is reported with the paths of all steps', () => {
  const all = ['check', 'build', 'build/compile', 'build/pack', 'build/pack/zip', 'build/pack/step_2'];
  const more = ['rebuild', 'rebuild/compile', 'rebuild/pack', 'rebuild/pack/zip', 'rebuild/pack/step_2'];
  const paths = [...all, ...more, 'build/compile', 'none', 'step_6', '1', 'end'];
  for (const text of ['compil', '9', '0', '01', '', 'build/', 'compile/zip']) {
    assert.deepEqual(selected(text), { kind: 'none', paths });
  }
});

test('the paths of the second call of a workflow begin with its number', () => {
  const file = {
    workflows: { ci: { steps: [{ workflow: 'w' }, { workflow: 'w' }] }, w: { steps: [{ name: 'a', run: 'x' }, 'y'] } },
  };
  assert.deepEqual(selected('a', file), { kind: 'several', paths: ['w/a', '2.w/a'] });
  assert.deepEqual(selected('2.w/a', file), ['x']);
  assert.deepEqual(selected('2.w', file), ['x', 'y']);
});
