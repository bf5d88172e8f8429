import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { needs } from '../support/needs.ts';
import { screenOfRun } from '../support/processes/screen.ts';

const ENV = { NO_COLOR: '1' };

/** The lines of steps, without the summary. */
const stepsIn = (lines: readonly string[]): readonly string[] => lines.slice(0, lines.indexOf(''));

const call = (fields: object): object => ({ workflow: 'build', ...fields });

describe('a step in progress lines', { concurrency: 2, ...needs('python3') }, () => {
  test('a step without a name is shown by its command', async (t) => {
    const steps = ['set -e\ntrue', { run: ['true', 'test 1 = 1'] }, { name: 'named', run: 'true' }];
    const { lines } = await screenOfRun(t, { workflows: { w: { steps } } }, 'w', ENV);
    assert.deepEqual(stepsIn(lines), [
      '▸ 1/3 set -e … · w',
      '✓ set -e … <time>',
      '▸ 2/3 true … · w',
      '✓ true … <time>',
      '▸ 3/3 named · w',
      '✓ named <time>',
    ]);
  });

  test('a step of a workflow that is called twice is shown with the name or the `with` of the call', async (t) => {
    const file = {
      workflows: {
        w: {
          steps: [
            call({ with: { MODE: 'fast', API_TOKEN: 'hush' } }),
            call({ name: 'again', with: { MODE: 'slow' } }),
            call({ if: 'NEVER', with: { MODE: 'odd' } }),
            { workflow: 'once', with: { MODE: 'fast' } },
          ],
        },
        build: { steps: [{ name: 'compile', run: ': "$MODE" "$API_TOKEN"' }] },
        once: { steps: [{ name: 'check', run: ': "$MODE"' }] },
      },
    };
    const { lines } = await screenOfRun(t, file, 'w', ENV);
    assert.deepEqual(stepsIn(lines), [
      '▸ 1/4 compile · build (MODE=fast, API_TOKEN=***)',
      '✓ compile (MODE=fast, API_TOKEN=***) <time>',
      '▸ 2/4 compile · build (again)',
      '✓ compile (again) <time>',
      '– build (MODE=odd) (1 step): NEVER is not set',
      '▸ 4/4 check · once',
      '✓ check <time>',
    ]);
  });

  test('a call without a name and without `with` is shown with those of the call around it', async (t) => {
    const file = {
      env: { MODE: 'fast' },
      workflows: {
        w: { steps: [call({ workflow: 'all', name: 'first' }), call({ workflow: 'all', with: { MODE: 'slow' } })] },
        all: { steps: [{ workflow: 'build' }] },
        build: { env: { LEVEL: '2' }, steps: [{ name: 'compile', run: ': "$LEVEL" "$MODE"' }] },
      },
    };
    const { lines } = await screenOfRun(t, file, 'w', ENV);
    assert.deepEqual(stepsIn(lines), [
      '▸ 1/2 compile · build (first)',
      '✓ compile (first) <time>',
      '▸ 2/2 compile · build (MODE=slow)',
      '✓ compile (MODE=slow) <time>',
    ]);
  });

  test('the number of a step includes unselected ones', async (t) => {
    const steps = ['a', 'b', 'c', 'd'].map((name) => ({ name, run: 'true' }));
    const file = { workflows: { w: { steps } } };
    const headings = async (words: string): Promise<readonly string[]> => {
      const { lines } = await screenOfRun(t, file, `w ${words}`, ENV);
      return lines.filter((line) => line.startsWith('▸'));
    };
    assert.deepEqual(await headings('--until b'), ['▸ 1/4 a · w', '▸ 2/4 b · w']);
    assert.deepEqual(await headings('--from c'), ['▸ 3/4 c · w', '▸ 4/4 d · w']);
    assert.deepEqual(await headings('--only b'), ['▸ 2/4 b · w']);
  });

  test('the lines of a member of a group begin with its title, in the width of the longest', async (t) => {
    const parallel = [
      { name: 'unit', run: 'echo one' },
      'echo two',
      { workflow: 'packages' },
      { name: 'a name of more than twenty columns', run: 'echo four' },
    ];
    const checks = { name: 'checks', max_parallel: 1, parallel };
    const steps = [checks];
    const file = { workflows: { w: { steps }, packages: { steps: ['echo three'] } } };
    const printed = async (env: object): Promise<readonly string[]> => {
      const { lines } = await screenOfRun(t, file, 'w', { ...env });
      return lines.filter((line) => line.includes('│'));
    };
    assert.deepEqual(await printed(ENV), [
      'unit                 │ one',
      'echo two             │ two',
      'packages             │ three',
      'a name of mor…olumns │ four',
    ]);
    assert.deepEqual((await printed({})).slice(0, 2), [
      '\x1b[36munit                \x1b[0m │ one',
      '\x1b[35mecho two            \x1b[0m │ two',
    ]);
    const grouped = { ...checks, output: 'grouped' };
    const { lines } = await screenOfRun(t, { workflows: { ...file.workflows, w: { steps: [grouped] } } }, 'w', ENV);
    assert.deepEqual(lines.slice(lines.indexOf('✓ echo two <time>'), lines.indexOf('✓ echo two <time>') + 3), [
      '✓ echo two <time>',
      '▸ echo two',
      'two',
    ]);
  });

  test('members of groups without names are told apart, and a nested group is one member', async (t) => {
    const copies = { run: 'echo "$NODE"', matrix: { NODE: ['20', '22'] } };
    const inner = { name: 'inner', parallel: ['echo deep', { workflow: 'packages' }] };
    const file = {
      workflows: {
        w: {
          steps: [
            { parallel: [copies, inner], max_parallel: 1 },
            { if: 'NEVER', parallel: ['true'] },
          ],
        },
        packages: { steps: ['true'] },
      },
    };
    const { lines } = await screenOfRun(t, file, 'w', ENV);
    assert.deepEqual(stepsIn(lines), [
      '▸ group · 3 in parallel',
      '▸ 1/5 echo "$NODE" (20) · w',
      'echo "$NODE" (20) │ 20',
      '✓ echo "$NODE" (20) <time>',
      '▸ 2/5 echo "$NODE" (22) · w',
      'echo "$NODE" (22) │ 22',
      '✓ echo "$NODE" (22) <time>',
      '▸ inner · 2 in parallel',
      ...stepsIn(lines).slice(8, -1),
      '– group (1 step): NEVER is not set',
    ]);
    assert.ok(lines.includes('inner             │ deep'), lines.join('\n'));
  });
});

test('the reason of a failure is broken over lines, below a truncated name', needs('python3'), async (t) => {
  const name = 'convert-the-assets-of-the-customer-portal-for-region';
  const run = 'convert_the_assets_of_the_customer_portal_that_nobody_installed';
  const { lines } = await screenOfRun(t, { workflows: { w: { steps: [{ name, run }] } } }, 'w', { NO_COLOR: '1' }, 60);
  const from = lines.findIndex((line) => line.startsWith('✗'));
  // The place of the break depends on the width of the time.
  assert.deepEqual(
    [
      lines
        .slice(from, from + 2)
        .join(' ')
        .replaceAll(/ +/g, ' '),
      ...lines.slice(from + 2, from + 4),
    ],
    [
      '✗ convert-…ion failed with exit code 127 (command not found), <time>',
      '  at .cli/workflow.json:1:29:',
      `    ${run}`,
    ],
  );
});
