/* Outputs of kept steps that were not recorded, because they are secret. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishedWith, resumed, type Before, type Row } from '../../support/runs/history.ts';
import { ci, namedStep as step } from '../../support/workflow.ts';

const SECRET_OUTPUT = step('login', { outputs: { API_TOKEN: '$.t', URL: '$.u' } });
const READS = ci([SECRET_OUTPUT, step('use', { run: 'use "${steps.login.API_TOKEN}"' })]);
const LOGIN: Before['steps'] = { login: finishedWith(['API_TOKEN', null], ['URL', 'u']), use: 'failed' };

const OUTPUTS: readonly Row[] = [
  {
    name: 'a secret output that an unfinished step reads is lost, which is a conflict',
    before: { file: READS, steps: LOGIN },
    expected: { steps: { login: 'lost output API_TOKEN', use: 'run' }, conflicts: ['login'] },
  },
  {
    name: '--rerun of the step with the lost output resolves the conflict',
    before: { file: READS, steps: LOGIN },
    choices: { rerun: ['login'] },
    expected: { steps: { login: 'again', use: 'run' } },
  },
  {
    name: '--changed rerun resolves the conflict, and repeats all steps from there on',
    before: { file: ci([SECRET_OUTPUT, step('mid'), step('use')]), steps: { ...LOGIN, mid: 'finished' } },
    now: ci([SECRET_OUTPUT, step('mid'), step('use', { run: 'use "${steps.login.API_TOKEN}"' })]),
    choices: { changed: 'rerun' },
    expected: { steps: { login: 'again', mid: 'again', use: 'run' } },
  },
  {
    name: '--changed rerun also repeats the step whose secret output a repeated step reads',
    before: {
      file: ci([SECRET_OUTPUT, step('use', { run: 'use "${steps.login.API_TOKEN}"' }), step('end')]),
      steps: { login: finishedWith(['API_TOKEN', null], ['URL', 'u']), use: 'finished', end: 'failed' },
    },
    now: ci([SECRET_OUTPUT, step('use', { run: 'other "${steps.login.API_TOKEN}"' }), step('end')]),
    choices: { changed: 'rerun' },
    expected: { steps: { login: 'again', use: 'again', end: 'run' } },
  },
  {
    name: '--changed keep does not resolve the conflict',
    before: { file: READS, steps: LOGIN },
    choices: { changed: 'keep' },
    expected: { steps: { login: 'lost output API_TOKEN', use: 'run' }, conflicts: ['login'] },
  },
  {
    name: 'an output that is not secret is recorded',
    before: { file: READS, steps: LOGIN },
    now: ci([SECRET_OUTPUT, step('use', { run: 'use "${steps.login.URL}"' })]),
    expected: { steps: { login: 'kept', use: 'run' } },
  },
  {
    name: 'a secret output read only by finished steps causes no conflict',
    before: { file: READS, steps: { ...LOGIN, use: 'finished' } },
    expected: { steps: { login: 'kept', use: 'kept' } },
  },
  {
    name: 'a secret output read through a variable of the step is lost',
    before: { file: ci([SECRET_OUTPUT, step('use', { with: { T: '${steps.login.API_TOKEN}' } })]), steps: LOGIN },
    expected: { steps: { login: 'lost output API_TOKEN', use: 'run' }, conflicts: ['login'] },
  },
  {
    name: 'a secret output read by an untested condition is lost',
    before: {
      file: ci([SECRET_OUTPUT, step('use', { if: 'test "${steps.login.API_TOKEN}"' })]),
      steps: { login: finishedWith(['API_TOKEN', null], ['URL', 'u']) },
    },
    expected: {
      steps: { login: 'lost output API_TOKEN', use: 'run' },
      conditions: { use: 'test' },
      conflicts: ['login'],
    },
  },
  {
    name: 'a secret output read by the finally hook is lost',
    before: { file: ci([SECRET_OUTPUT, step('use')], { finally: 'logout "${steps.login.API_TOKEN}"' }), steps: LOGIN },
    expected: { steps: { login: 'lost output API_TOKEN', use: 'run' }, conflicts: ['login'] },
  },
  {
    name: 'a step whose failure was allowed has no outputs to lose',
    before: {
      file: ci([
        step('login', { outputs: { A: '$.a' }, allow_failure: true }),
        step('use', { run: '"${steps.login.A}"' }),
      ]),
      steps: { login: 'allowed', use: 'failed' },
    },
    expected: { steps: { login: 'kept', use: 'run' } },
  },
  {
    name: '--done is rejected for a step whose outputs are read later',
    before: { file: READS, steps: { login: 'killed' } },
    choices: { done: ['login'] },
    expected: { steps: { login: 'kept done', use: 'run' }, refusals: ['done but read login'] },
  },
  {
    name: 'a new output of a kept step is lost',
    before: { file: ci([step('login'), step('use')]), steps: { login: 'finished', use: 'failed' } },
    now: READS,
    choices: { changed: 'keep' },
    expected: { steps: { login: 'lost output API_TOKEN', use: 'run' }, conflicts: ['login'] },
  },
];

for (const { name, before, now, choices, expected } of OUTPUTS) {
  test(name, () => assert.deepEqual(resumed(before, now ?? before.file, choices), expected));
}
