/* When programs that print secrets start, where, and which commands wait for them. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';

const bash = (script: string): object => ({ command: ['bash', '-c', script] });

/** A program that records its start and prints its name. */
const gives = (name: string): object => bash(`echo "(${name})" >>log; echo ${name}`);

/** A program that fails if another one runs. */
const alone = (name: string, wait: string): object =>
  bash(`mkdir lock || echo overlap >>log; echo "(${name})" >>log; ${wait}; rmdir lock; echo ${name}`);

/** A command that records its start. */
const ran = (name: string, ...secrets: string[]): object => ({ run: `echo ${name} >>log`, secrets });

const guarded = (run: string, ...secrets: string[]): object => ({ if: 'test 1', run, secrets });

const log = (cwd: string): string => readFileSync(join(cwd, 'log'), 'utf8').trim().replaceAll('\n', ' ');

test('what certainly runs gets its secrets before the first command, in the order of the plan, and the rest when it is reached', async (t) => {
  const cwd = workflowDirectory(t, {
    secrets: Object.fromEntries(
      ['FINALLY', 'AFTER', 'GUARDED', 'CALLED', 'MEMBER', 'STEP', 'HOOK', 'ERROR', 'BEFORE', 'LEFT'].map((name) => {
        return [name, gives(name)];
      }),
    ),
    before_all: ran('before', 'BEFORE'),
    after_all: ran('after', 'AFTER'),
    error: ran('error', 'ERROR'),
    finally: ran('finally', 'FINALLY'),
    workflows: {
      ci: {
        finally: ran('hook', 'HOOK'),
        steps: [
          { if: 'test ! -e log', ...ran('skipped', 'LEFT') },
          { if: 'test 1', workflow: 'called' },
          ran('step', 'STEP', 'BEFORE'),
          { parallel: [ran('member', 'MEMBER')] },
          { if: 'test 1', ...ran('guarded', 'GUARDED', 'STEP') },
        ],
      },
      called: { steps: [ran('called', 'CALLED')] },
    },
  });
  const { code, stderr } = await cli(['run', 'ci', '-q'], { cwd });
  assert.equal(code, 0, stderr);
  assert.equal(
    log(cwd),
    '(BEFORE) (STEP) (MEMBER) (HOOK) (AFTER) (FINALLY) before (CALLED) called step member (GUARDED) guarded hook after finally',
  );
});

test('a part of a workflow gets the secrets of its own steps', async (t) => {
  const cwd = workflowDirectory(t, {
    secrets: { ONE: bash('exit 1'), TWO: gives('TWO'), THREE: bash('exit 1') },
    workflows: {
      ci: { steps: ['one', 'two', 'three'].map((name) => Object.assign({ name }, ran(name, name.toUpperCase()))) },
    },
  });
  const { code, stderr } = await cli(['run', 'ci', '-q', '--only', 'two'], { cwd });
  assert.deepEqual([code, stderr, log(cwd)], [0, '', '(TWO) two']);
});

test('a program starts once for each list of arguments, which variables of the commands can make different', async (t) => {
  const step = { run: 'echo "$KEY" >>log', secrets: ['KEY', 'SAME'] };
  const secret = bash('echo "(${vars.STAGE})" >>log; echo ${vars.STAGE}');
  const cwd = workflowDirectory(t, {
    secrets: { KEY: secret, SAME: secret },
    env: { STAGE: 'dev' },
    workflows: {
      ci: { steps: [step, { workflow: 'called', with: { STAGE: 'prod' } }, { ...step, with: { STAGE: 'dev' } }] },
      called: { steps: [step, step] },
    },
  });
  const { code, stderr } = await cli(['run', 'ci', '-q'], { cwd });
  assert.deepEqual([code, stderr, log(cwd)], [0, '', '(dev) (prod) dev prod prod dev']);
});

test('a program starts without a shell, in the directory of the run, and its value is exact', async (t) => {
  const size = 64 * 1024;
  const check = [
    `test "$LITERAL" = '$HOME * \`id\` a  b'`,
    'test "$PLACE" = "$(cd .. && pwd)"',
    `test "\${#FULL}" = ${size}`,
    'test "$SHORT" = x',
    `test "$LINES_" = $'\\n a\\r\\n\\nb \\r'`,
    'test "$BOOLEAN$NUMBER" = false0.50',
  ];
  const document = ['echo', '{"b": false, "n": 0.50}'];
  const cwd = workflowDirectory(t, {
    secrets: {
      LITERAL: { command: ['echo', '$HOME * `id` a  b'] },
      PLACE: { command: ['pwd'] },
      FULL: bash(`head -c ${size} /dev/zero | tr '\\0' x; printf '\\n\\n'`),
      SHORT: { command: ['printf', 'x'] },
      LINES_: { command: ['printf', '\\n a\\r\\n\\nb \\r\\r\\n\\n'] },
      BOOLEAN: { command: document, value: '$.b' },
      NUMBER: { command: document, value: '$.n' },
    },
    workflows: {
      ci: {
        steps: check.map((run) => {
          const [, name = ''] = /\$\{?#?([A-Z_]+)/.exec(run.replace('$HOME', '')) ?? [];
          return { run, dir: 'sub', secrets: name === 'BOOLEAN' ? [name, 'NUMBER'] : [name] };
        }),
      },
    },
  });
  mkdirSync(join(cwd, 'sub'));
  const { code, stdout, stderr } = await cli(['workflow', 'run', 'ci', '-q'], { cwd });
  assert.equal(code, 0, `${stdout}${stderr}`);
});

test('programs run one at a time, and neither fail_fast nor the time limit of a step ends one', async (t) => {
  const cwd = workflowDirectory(t, {
    secrets: {
      SLOW: alone('slow', 'touch begun; until test -e after; do sleep 0.02; done'),
      OTHER: alone('other', 'true'),
      ONE: alone('one', 'sleep 0.2'),
      TWO: alone('two', 'sleep 0.2'),
    },
    error: { run: 'echo "error $SLOW" >>log', secrets: ['SLOW'] },
    workflows: {
      ci: {
        steps: [
          {
            parallel: [
              { ...guarded('echo "$ONE $TWO" >>log', 'ONE', 'TWO'), timeout: '300ms', allow_failure: true },
              { ...guarded('echo "$ONE $TWO" >>log', 'ONE', 'TWO'), name: 'same' },
              { ...guarded('echo "$TWO $ONE" >>log', 'TWO', 'ONE'), name: 'turned' },
            ],
          },
          { workflow: 'late' },
        ],
      },
      late: {
        error: 'touch after',
        steps: [
          {
            parallel: [
              guarded('touch ran', 'SLOW'),
              guarded('touch ran', 'SLOW', 'OTHER'),
              'until test -e begun; do sleep 0.02; done; exit 3',
            ],
            fail_fast: true,
          },
        ],
      },
    },
  });
  const { code, stderr } = await cli(['run', 'ci', '-q'], { cwd });
  const lines = log(cwd).split(' (slow) ');
  assert.deepEqual([code, lines[1], existsSync(join(cwd, 'ran'))], [1, 'error slow', false], stderr);
  const [first = ''] = lines;
  assert.deepEqual(
    [first.match(/\((?:one|two)\)/g)?.toSorted(), first.includes('one two'), first.includes('two one')],
    [['(one)', '(two)'], true, true],
  );
  assert.equal(log(cwd).includes('overlap'), false);
});
