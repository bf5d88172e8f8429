/* What becomes of outputs of kept steps that were not recorded, because they are secret. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gave, resumed, type Before, type Row } from '../support/runs/history.ts';
import { ci, namedStep as step } from '../support/workflow.ts';

const SECRET_OUTPUT = step('login', { outputs: { API_TOKEN: '$.t', URL: '$.u' } });
const READS = ci([SECRET_OUTPUT, step('use', { run: 'use "${steps.login.API_TOKEN}"' })]);
const LOGIN: Before['steps'] = { login: gave(['API_TOKEN', null], ['URL', 'u']), use: 'failed' };

const OUTPUTS: readonly Row[] = [
  {
    name: 'a secret output that a step still reads is lost, which is a conflict',
    before: { file: READS, steps: LOGIN },
    expected: { steps: { login: 'lost output API_TOKEN', use: 'run' }, conflicts: ['login'] },
  },
  {
    name: '--rerun of the step that gave it resolves that',
    before: { file: READS, steps: LOGIN },
    choices: { rerun: ['login'] },
    expected: { steps: { login: 'again', use: 'run' } },
  },
  {
    name: '--changed rerun resolves that, with all that follows',
    before: { file: ci([SECRET_OUTPUT, step('mid'), step('use')]), steps: { ...LOGIN, mid: 'finished' } },
    now: ci([SECRET_OUTPUT, step('mid'), step('use', { run: 'use "${steps.login.API_TOKEN}"' })]),
    choices: { changed: 'rerun' },
    expected: { steps: { login: 'again', mid: 'again', use: 'run' } },
  },
  {
    name: '--changed rerun goes back to what gave a secret to a step that now runs again',
    before: {
      file: ci([SECRET_OUTPUT, step('use', { run: 'use "${steps.login.API_TOKEN}"' }), step('end')]),
      steps: { login: gave(['API_TOKEN', null], ['URL', 'u']), use: 'finished', end: 'failed' },
    },
    now: ci([SECRET_OUTPUT, step('use', { run: 'other "${steps.login.API_TOKEN}"' }), step('end')]),
    choices: { changed: 'rerun' },
    expected: { steps: { login: 'again', use: 'again', end: 'run' } },
  },
  {
    name: '--changed keep does not resolve that',
    before: { file: READS, steps: LOGIN },
    choices: { changed: 'keep' },
    expected: { steps: { login: 'lost output API_TOKEN', use: 'run' }, conflicts: ['login'] },
  },
  {
    name: 'an output that is no secret is known',
    before: { file: READS, steps: LOGIN },
    now: ci([SECRET_OUTPUT, step('use', { run: 'use "${steps.login.URL}"' })]),
    expected: { steps: { login: 'kept', use: 'run' } },
  },
  {
    name: 'a secret output that only finished steps read is not missed',
    before: { file: READS, steps: { ...LOGIN, use: 'finished' } },
    expected: { steps: { login: 'kept', use: 'kept' } },
  },
  {
    name: 'a secret that comes in through a variable of the step is missed, too',
    before: { file: ci([SECRET_OUTPUT, step('use', { with: { T: '${steps.login.API_TOKEN}' } })]), steps: LOGIN },
    expected: { steps: { login: 'lost output API_TOKEN', use: 'run' }, conflicts: ['login'] },
  },
  {
    name: 'a secret that a condition to be tested reads is missed, too',
    before: {
      file: ci([SECRET_OUTPUT, step('use', { if: 'test "${steps.login.API_TOKEN}"' })]),
      steps: { login: gave(['API_TOKEN', null], ['URL', 'u']) },
    },
    expected: {
      steps: { login: 'lost output API_TOKEN', use: 'run' },
      conditions: { use: 'test' },
      conflicts: ['login'],
    },
  },
  {
    name: 'a secret that the finally hook reads is missed, too',
    before: { file: ci([SECRET_OUTPUT, step('use')], { finally: 'logout "${steps.login.API_TOKEN}"' }), steps: LOGIN },
    expected: { steps: { login: 'lost output API_TOKEN', use: 'run' }, conflicts: ['login'] },
  },
  {
    name: 'a step that was allowed to fail gave nothing that could be lost',
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
    name: '--done is refused for a step whose outputs are read later',
    before: { file: READS, steps: { login: 'killed' } },
    choices: { done: ['login'] },
    expected: { steps: { login: 'kept done', use: 'run' }, refusals: ['done but read login'] },
  },
  {
    name: 'an output that a kept step was not asked for is lost',
    before: { file: ci([step('login'), step('use')]), steps: { login: 'finished', use: 'failed' } },
    now: READS,
    choices: { changed: 'keep' },
    expected: { steps: { login: 'lost output API_TOKEN', use: 'run' }, conflicts: ['login'] },
  },
];

for (const { name, before, now, choices, expected } of OUTPUTS) {
  test(name, () => assert.deepEqual(resumed(before, now ?? before.file, choices), expected));
}
