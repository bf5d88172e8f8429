/* Variables that a finished step does not mention, and whose values have changed when its run is resumed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChangedVariables } from '../../src/ir/resume/changed_variables.ts';
import { matchOps } from '../../src/ir/resume/match_ops.ts';
import { at, type Variable } from '../../src/ir/plan.ts';
import { namePaths } from '../../src/ir/steps/resolve_step.ts';
import { compiled } from '../support/plans.ts';
import { historyOf } from '../support/runs/history.ts';
import { ci, namedStep as step } from '../support/workflow.ts';

/** The state of a run: its file, by default with the step `a`, and its parameters. */
type State = Readonly<{ file?: object; params?: readonly Variable[] }>;

/** The changed variables of each finished step, by its path. */
function changed(before: State, now: State): Record<string, readonly string[]> {
  const [old, file] = [before, now].map((state) => state.file ?? ci([step('a')]));
  assert.ok(old !== undefined);
  const plan = compiled(JSON.stringify(file), 'ci', now.params ?? []);
  const names = namePaths(plan);
  const steps = Object.fromEntries([...names.values()].map((path) => [path, 'finished' as const]));
  const { steps: records, prints } = matchOps(plan, historyOf({ file: old, params: before.params ?? [], steps }));
  const changedVariables = createChangedVariables(plan);
  const entries = [...records].map(([index, record]) => {
    const [op, print] = [at(plan.ops, index), prints.get(index)];
    assert.ok(op.kind === 'run' && print !== undefined);
    return [names.get(index) ?? '', changedVariables(record, op, print)] as const;
  });
  return Object.fromEntries(entries.filter(([, variables]) => variables.length > 0));
}

const env = (values: object, more: object = {}): State => ({ file: ci([step('a', more)], { env: values }) });
const call = (values: object, inner: object = {}): State => ({
  file: {
    workflows: { ci: { steps: [step('a'), { workflow: 'w', with: values }] }, w: { env: inner, steps: [step('b')] } },
  },
});

const ROWS: readonly (readonly [name: string, before: State, now: State, expected: object])[] = [
  ['nothing has changed', env({ V: '1' }), env({ V: '1' }), {}],
  ['a variable of the file has another value', env({ V: '1', W: '1' }), env({ V: '2', W: '1' }), { a: ['V'] }],
  ['a variable was added', env({}), env({ V: '1' }), { a: ['V'] }],
  ['a variable was removed', env({ V: '1' }), env({}), { a: ['V'] }],
  [
    'the variable of a step has another value',
    env({}, { with: { V: '1' } }),
    env({}, { with: { V: '2' } }),
    { a: ['V'] },
  ],
  ['a variable has moved to the step', env({ V: '1' }), env({}, { with: { V: '1' } }), {}],
  [
    'a variable that the step overrides has changed',
    env({ V: '1' }, { with: { V: '0' } }),
    env({ V: '2' }, { with: { V: '0' } }),
    {},
  ],
  ['a parameter has another value', { params: [['V', '1']] }, { params: [['V', '2']] }, { a: ['V'] }],
  ['a parameter was added', {}, { params: [['V', '2']] }, { a: ['V'] }],
  [
    'a variable that a parameter overrides has changed',
    { ...env({ V: '1' }), params: [['V', '0']] },
    { ...env({ V: '2' }), params: [['V', '0']] },
    {},
  ],
  [
    'a parameter has the value that the variable had',
    env({ V: '1' }),
    { ...env({ V: '2' }), params: [['V', '1']] },
    {},
  ],
  [
    'a mentioned variable has changed, which is an edit',
    env({ V: '1', W: '1' }, { run: 'use $V' }),
    env({ V: '2', W: '2' }, { run: 'use $V' }),
    { a: ['W'] },
  ],
  ['a secret variable has changed', env({ API_TOKEN: '1' }), env({ API_TOKEN: '2' }), {}],
  [
    'a variable of a call has changed, which reaches only its steps',
    call({ V: '1' }),
    call({ V: '2' }),
    { 'w/b': ['V'] },
  ],
  [
    'a variable of a called workflow has changed, which the call overrides',
    call({ V: '1' }, { V: 'x' }),
    call({ V: '1' }, { V: 'y' }),
    {},
  ],
];

for (const [name, before, now, expected] of ROWS) {
  test(`since a step finished, ${name}`, () => assert.deepEqual(changed(before, now), expected));
}

test('a step whose scope was not recorded has no changed variables', () => {
  const plan = compiled(JSON.stringify(ci([step('a')], { env: { V: '2' } })), 'ci');
  const { steps } = historyOf({ file: ci([step('a')], { env: { V: '1' } }), steps: { a: 'finished' } });
  const [record, op] = [at(steps, 0), at(plan.ops, 0)];
  assert.ok(op.kind === 'run');
  const changedVariables = createChangedVariables(plan);
  assert.deepEqual(changedVariables(record, op, record.print), ['V']);
  assert.deepEqual(changedVariables({ ...record, scope: null }, op, record.print), []);
});
