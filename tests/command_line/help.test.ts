import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli, temporaryDirectory, ROOT } from '../support/cli.ts';
import { toolInProcess } from '../support/in_process.ts';

for (const [words, first] of [
  [[], 'cli <command>'],
  [['workflow'], 'cli <command>'],
  [['auth'], 'cli <command>'],
  [['workflow', 'run'], 'cli workflow run <name> [VALUE|KEY:VALUE ...] [+ <name> ...] [-- ARGUMENT ...]'],
  [['workflow', 'list'], 'cli workflow list'],
  [['workflow', 'validate'], 'cli workflow validate'],
  [['auth', 'status'], 'cli auth status'],
] as const) {
  test(`\`cli ${words.join(' ')} --help\` prints its help to standard output and exits with 0`, async (t) => {
    const tool = toolInProcess(t);
    const { stdout, ...rest } = await tool([...words, '--help']);
    assert.deepEqual(rest, { code: 0, stderr: '' });
    assert.equal(stdout.split('\n')[0], first);
    assert.deepEqual(await tool([...words, '-h']), { code: 0, stdout, stderr: '' });
    assert.deepEqual(await tool(['--help', ...words]), { code: 0, stdout, stderr: '' });
    assert.deepEqual(
      stdout.split('\n').filter((line) => line.length > 80),
      [],
    );
  });
}

test('help has precedence over errors in the rest of the line', async (t) => {
  const tool = toolInProcess(t);
  const help = await tool(['workflow', 'run', '--help']);
  assert.deepEqual(await tool(['workflow', 'run', 'w', 'not a parameter', '--help']), help);
});

test('the real process prints the version of the package, and its help, to a pipe', async (t) => {
  const manifest: unknown = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  assert.ok(typeof manifest === 'object' && manifest !== null && 'version' in manifest);
  const cwd = temporaryDirectory(t);
  const stdout = `${String(manifest.version)}\n`;
  assert.deepEqual(await cli(['--version'], { cwd }), { code: 0, signal: null, stdout, stderr: '' });
  const help = await cli(['--help'], { cwd, env: { COLUMNS: '20', LC_ALL: 'cs_CZ.UTF-8' } });
  assert.deepEqual({ ...help, signal: undefined }, { ...(await toolInProcess(t)(['--help'])), signal: undefined });
});
