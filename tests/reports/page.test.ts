import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { reportIn } from '../support/goldens/report.ts';
import { needs } from '../support/needs.ts';
import { screenOf } from '../support/processes/screen.ts';

const GROUPS = {
  workflows: {
    w: {
      steps: [
        'true',
        {
          name: 'checks',
          parallel: [
            { name: 'lint', run: 'true' },
            { workflow: 'test' },
            { parallel: ['true', { name: 'off', if: 'NEVER', run: 'true' }] },
          ],
        },
        'exit 1',
        { parallel: [{ name: 'never', run: 'true' }] },
      ],
    },
    test: { private: true, steps: [{ parallel: [{ name: 'unit', run: 'true' }] }] },
  },
};

/** The rows of a page: the depth, whether the row has a bar, and the texts of the step and its result. */
function rowsOf(page: string): string[] {
  const [, body = ''] = page.split('<tbody>');
  return [
    ...body.matchAll(/<tr[^>]*class="([^"]*)"><th[^>]*>(.*?)<\/th><td class="result">(.*?)<\/td>(.*)<\/tr>/g),
  ].map(([, classes = '', step = '', result, cells]) => {
    const [, depth = ''] = /\bd(\d)/.exec(classes) ?? [];
    const title = step.replace(/<div>.*<\/div>/, '').replaceAll(/<[^>]*>/g, '');
    return `${'  '.repeat(Number(depth))}${title} | ${result} | ${cells?.includes('<rect') ? 'bar' : ''}`;
  });
}

test('a page shows groups as rows above their members, with the time of all of them', async (t) => {
  const cwd = workflowDirectory(t, GROUPS);
  await cli(['run', 'w', '--report', 'r.html'], { cwd });
  assert.deepEqual(rowsOf(readFileSync(join(cwd, 'r.html'), 'utf8')), [
    'true | ✓ succeeded | bar',
    'checks 3 in parallel, step 2 of w |  | bar',
    '  lint | ✓ succeeded | bar',
    '  test step 2.2 of w |  | bar',
    '    group 1 in parallel, step 1 of test |  | bar',
    '      unit | ✓ succeeded | bar',
    '  group 2 in parallel, step 2.3 of w |  | bar',
    '    true | ✓ succeeded | bar',
    '    off | – skipped: NEVER is not set | ',
    'exit 1 | ✗ exit code 1 | bar',
    'group 1 in parallel, step 4 of w |  | ',
    '  never | ○ not reached | ',
  ]);
});

test(
  'a page says that the output of commands at a terminal was not kept, and how to keep it',
  needs('python3'),
  async (t) => {
    const cwd = workflowDirectory(t, { workflows: { w: { steps: ['echo hello'] } } });
    const noteOf = (name: string): string | undefined =>
      /<dt>Note<\/dt><dd>(.*)<\/dd>/.exec(readFileSync(join(cwd, name), 'utf8'))?.[1];
    await screenOf(t, cwd, 80, 'run w --report r.html --report r.json');
    assert.equal(noteOf('r.html'), 'Without the output of commands. To keep it, add --report-lines 50.');
    assert.equal(reportIn(cwd, 'r.json').ops[0]?.output, null);
    await screenOf(t, cwd, 80, 'run w --report kept.html --report-lines 50');
    assert.equal(noteOf('kept.html'), undefined);
  },
);
