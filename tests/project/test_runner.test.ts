import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test, type TestContext } from 'node:test';
import { finish, temporaryDirectory, ROOT, type CommandResult } from '../support/cli.ts';
import { needs } from '../support/needs.ts';

const HEAD = "import { describe, test } from 'node:test';\n";

/** Runs a file of tests like `npm test`, with a short limit for each test. */
async function runFile(t: TestContext, text: string, env: Record<string, string> = {}): Promise<CommandResult> {
  const file = join(temporaryDirectory(t, { 'file.test.mjs': HEAD + text }), 'file.test.mjs');
  const own = { NODE_TEST_CONTEXT: undefined, TEST_REQUIRE_ALL: undefined, TEST_TIMEOUT: '300' };
  const finished = await finish(process.execPath, ['scripts/test.mjs', file], { cwd: ROOT, env: { ...own, ...env } });
  return { ...finished, stdout: finished.stdout.replaceAll(/in \d+ s\n/g, 'in <time>\n') };
}

const SKIPPED = "test('fine', () => undefined);\ntest('tab completes', { skip: 'install zsh' }, () => undefined);\n";
const REPORT = '..\n\nskipped: tab completes: install zsh\n1 passed, 0 failed, 1 skipped, in <time>\n';

test('a skipped test is listed with the program to install', async (t) => {
  assert.deepEqual(await runFile(t, SKIPPED), { code: 0, signal: null, stdout: REPORT, stderr: '' });
});

test('with TEST_REQUIRE_ALL a skipped test is a failure', async (t) => {
  const stdout = `${REPORT}TEST_REQUIRE_ALL is set, so the skipped tests are failures\n`;
  const required = { TEST_REQUIRE_ALL: '1' };
  assert.deepEqual(await runFile(t, SKIPPED, required), { code: 1, signal: null, stdout, stderr: '' });
});

test('a hanging test fails under its own name, and the other tests run', async (t) => {
  const hang = 'new Promise((resolve) => { setTimeout(resolve, 3000); })';
  const { code, stdout } = await runFile(
    t,
    `describe('a group', { concurrency: 2 }, () => {
      test('hangs', () => ${hang});
      test('works', () => undefined);
    });
    test('has a limit of its own', { timeout: 60_000 }, () => new Promise((resolve) => { setTimeout(resolve, 600); }));
    test('has a part that hangs', (t) => t.test('part', () => ${hang}));`,
  );
  assert.equal(code, 1);
  const failed = [...stdout.matchAll(/^✖ (.*) \(.*\)\n {2}(.*)$/gm)].map(([, name, reason]) => `${name}: ${reason}`);
  assert.deepEqual(
    failed.filter((line) => line.includes('timed out')),
    ["hangs: 'test timed out after 300ms'", "has a part that hangs: 'test timed out after 300ms'"],
  );
  assert.equal(stdout.split('\n').at(-2), '2 passed, 3 failed, 0 skipped, in <time>');
});

test('after a failure, the standard error of the tests is printed, and a hanging test shows its processes', async (t) => {
  const support = pathToFileURL(join(ROOT, 'build/tests/support/remote/workers.js')).href;
  const text = `import { start } from '${support}';
    test('hangs', (t) => {
      start(t, ['--version'], '/');
      return new Promise((resolve) => { setTimeout(resolve, 3000); });
    });`;
  const { code, stdout } = await runFile(t, text);
  assert.equal(code, 1);
  assert.match(stdout, /^at the time limit of 'hangs', process \d+ (?:is running|has ended with 0): cli --version$/m);
});

test('a test names the Debian packages of its programs, and is skipped if one is missing', (t) => {
  const path = process.env['PATH'];
  t.after(() => (process.env['PATH'] = path));
  process.env['PATH'] = temporaryDirectory(t);
  assert.deepEqual(needs('zsh', 'chromium'), { skip: 'install zsh, chromium' });
  assert.deepEqual(needs(), {});
  assert.throws(() => needs('zshell'), new Error('zshell is not in programs.json'));
});
