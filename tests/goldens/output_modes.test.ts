/* The screen of a run with --output all and --output failures, at three widths. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { FIXTURES, UPDATE } from '../support/goldens/goldens.ts';
import { needs } from '../support/needs.ts';
import { screenOfRun } from '../support/processes/screen.ts';

const DIRECTORY = join(FIXTURES, 'output_modes');

const STEPS = [
  { name: 'unit tests of the customer portal', run: 'echo 42 tests passed' },
  { name: 'style', run: 'seq 12; exit 1', allow_failure: true },
  { if: 'PUBLISH', name: 'publish', run: 'true' },
  {
    name: 'integration tests',
    run: [
      'seq 45',
      'echo "a line of output that is a little longer than the narrowest of the three terminals"',
      'exit 3',
    ],
  },
  { name: 'never', run: 'true' },
];
const FILE = { error: 'echo sorry', finally: 'echo over; exit 4', workflows: { ci: { steps: STEPS } } };

const WIDTHS = [60, 80, 120];

describe('the screen of a run', { concurrency: 2, ...needs('python3') }, () => {
  for (const mode of ['all', 'failures']) {
    for (const width of WIDTHS) {
      test(`with --output ${mode}, at ${width} columns`, async (t) => {
        const env = { TERM: 'xterm', NO_COLOR: '1', CLI_NO_JOURNAL: undefined, CLI_LOGS: undefined };
        const { lines } = await screenOfRun(t, FILE, `ci --output ${mode}`, env, width);
        // Which steps are the slowest depends on the machine.
        const text = `${lines.join('\n')}\n`.replace(/^( {2}slowest ) .*\n(?: {11}.*\n)*/mu, '$1 <steps>\n');
        const path = join(DIRECTORY, `${mode}-${width}.txt`);
        if (UPDATE) writeFileSync(path, text);
        assert.equal(text, readFileSync(path, 'utf8'));
      });
    }
  }

  test('there is no other golden file', { skip: UPDATE }, () =>
    assert.equal(readdirSync(DIRECTORY).length, 2 * WIDTHS.length),
  );
});
