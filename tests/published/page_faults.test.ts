import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND, ROOT, workflowDirectory } from '../support/cli.ts';
import { needs } from '../support/needs.ts';

/** The page faults above those of `node -e 0`, and 3 % of the whole. */
const LIMITS = [
  ['list', 2384 - 1845],
  ['run one --no-journal', 3551 - 1845],
  ['run one --no-logs', 3617 - 1845],
] as const;

test('list and a run of one step have the page faults of docs/performance.md', needs('python3'), (t) => {
  const cwd = workflowDirectory(t, { workflows: { one: { steps: ['true'] } } });
  const env = { ...process.env, CI: undefined, CLI_NO_JOURNAL: undefined, NODE_EXTRA_CA_CERTS: undefined };
  const faults = (...words: readonly string[]): number =>
    Number(execFileSync('python3', [join(ROOT, 'benchmark/faults.py'), '5', ...words], { cwd, env, encoding: 'utf8' }));
  const least = faults(process.execPath, '-e', '0');
  for (const [line, limit] of LIMITS) {
    const count = faults(...COMMAND, ...line.split(' '));
    const most = Math.round((least + limit) * 1.03);
    assert.equal(count <= most, true, `${line}: ${count} page faults, at most ${most}, where node -e 0 has ${least}`);
  }
});
