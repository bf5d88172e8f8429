import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { cli, workflowDirectory } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { screenOf } from '../support/processes/screen.ts';

const FILE = {
  env: { A: '1' },
  error: 'true',
  workflows: {
    w: { description: 'About w', steps: [{ name: 'n', if: 'B', run: 'echo "$A"' }, { workflow: 'p' }] },
    p: { private: true, steps: [{ run: 'echo "$A"', with: { A: '2' } }] },
  },
};
const BROKEN = { workflows: { w: { steps: [1] } } };

/** The screen of a command. Escape characters are `E`. */
async function screen(t: TestContext, file: object, words: string, env = {}): Promise<string[]> {
  const lines = await screenOf(t, workflowDirectory(t, file), 80, words, env);
  return lines.map((line) => line.replaceAll('\x1b', 'E').trimEnd());
}

describe('at a terminal', { concurrency: 2, ...needs('python3') }, () => {
  test('list prints names in bold', async (t) => {
    assert.deepEqual(await screen(t, FILE, 'workflow list --all --format table'), [
      'E[1mwE[0m  2 steps  About w',
      'E[1mpE[0m  1 step   E[2m(private)E[0m',
      'ended with 0',
    ]);
  });

  test('explain prints steps in bold, and sources and overridden values faint', async (t) => {
    assert.deepEqual(await screen(t, FILE, 'workflow explain w'), [
      'E[1mnE[0mE[2m  (step 1 of w)E[0m',
      '  $ echo "$A"',
      '  A=1E[2m  (global env)E[0m',
      'E[1mp > step_1E[0mE[2m  (step 1 of p)E[0m',
      '  $ echo "$A"',
      '  A=2E[2m  (with of p step 1)E[0m',
      'E[2m    not 1  (global env)E[0m',
      'ended with 0',
    ]);
  });

  test('validate prints positions in bold, errors in red, and the verdict in green or red', async (t) => {
    assert.deepEqual(await screen(t, FILE, 'workflow validate --format text'), [
      '.cli/workflow.json:E[32m validE[0m, 0 errors, 0 warnings',
      'ended with 0',
    ]);
    const lines = await screen(t, BROKEN, 'workflow validate --format text');
    assert.match(lines[0] ?? '', /^E\[1m\.cli\/workflow\.json:1:29:E\[0mE\[31m errorE\[0m: /);
    assert.match(lines.at(-3) ?? '', /^ +\| +E\[31m\^E\[0m$/);
    assert.equal(lines.at(-2), '.cli/workflow.json:E[31m invalidE[0m, 1 error, 0 warnings');
    assert.deepEqual((await screen(t, BROKEN, 'workflow validate >/dev/null')).slice(0, 1), lines.slice(0, 1));
  });

  test('a dry run prints workflows and hooks in bold, and conditions faint', async (t) => {
    assert.deepEqual(await screen(t, FILE, 'workflow run w --dry-run >/dev/null'), [
      'E[1mworkflow wE[0m',
      '  - nE[2m  (if B is set)E[0m  echo "$A"',
      'E[1m  > pE[0m',
      '    - step_1  echo "$A"',
      'E[1m  [error]E[0m  true',
      'ended with 0',
    ]);
  });

  test('help prints headings in bold', async (t) => {
    const bold = (await screen(t, FILE, 'workflow list --help')).filter((line) => line.includes('E['));
    assert.deepEqual(bold, ['E[1mcli workflow listE[0m', 'E[1mFlags:E[0m', 'E[1mExample:E[0m']);
  });

  test('the short forms use the colours of the long forms', async (t) => {
    for (const [short, long] of [
      ['list --all', 'workflow list --all --format table'],
      ['validate', 'workflow validate --format text'],
      ['explain w', 'workflow explain w'],
      ['run w -n 2>/dev/null', 'workflow run w --dry-run 2>&1 >/dev/null'],
    ] as const) {
      const lines = await screen(t, FILE, short);
      assert.ok(lines.some((line) => line.includes('E[')));
      assert.deepEqual(lines, await screen(t, FILE, long));
    }
    assert.deepEqual(await screen(t, FILE, ''), ['E[1mwE[0m  2 steps  About w', 'ended with 0']);
  });

  for (const env of [{ NO_COLOR: '1' }, { FORCE_COLOR: '0' }, { TERM: 'dumb' }, { CI: 'true' }]) {
    test(`no colours are printed with ${JSON.stringify(env)}`, async (t) => {
      assert.deepEqual(await screen(t, FILE, 'workflow list --format table', env), [
        'w  2 steps  About w',
        'ended with 0',
      ]);
    });
  }

  test('FORCE_COLOR overrides NO_COLOR and TERM=dumb', async (t) => {
    const env = { FORCE_COLOR: '1', NO_COLOR: '1', TERM: 'dumb' };
    const [line] = await screen(t, FILE, 'workflow list --format table', env);
    assert.equal(line, 'E[1mwE[0m  2 steps  About w');
  });
});

test('no colours are printed to a pipe, not even with FORCE_COLOR', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  for (const words of ['list --format table', 'explain w', 'validate --format text', 'run w --dry-run', 'run --help']) {
    const { stdout, stderr } = await cli(['workflow', ...words.split(' ')], { cwd, env: { FORCE_COLOR: '1' } });
    assert.ok(!`${stdout}${stderr}`.includes('\x1b'), words);
  }
});
