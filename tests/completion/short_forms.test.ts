import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { TOPICS } from '../../src/cli/command_line/help/topic_names.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { inProcess } from '../support/in_process.ts';

const FILE = {
  env: { STAGE: 'dev' },
  workflows: {
    release: { description: 'Build all of it', steps: [{ name: 'tag', run: 'git tag "$VERSION"' }] },
    build: { private: true, steps: ['make'] },
  },
};
const NAMES = ['release'];
const FILES = [''];
const COMMANDS = [
  'run',
  'resume',
  'runs',
  'list',
  'validate',
  'explain',
  'status',
  'graph',
  'plan',
  'diff',
  'export',
  'secrets',
  'schema',
  'ui',
  'mcp',
  'lsp',
  'init',
];

for (const [typed, texts] of [
  [[''], [...COMMANDS, 'worker', 'auth', 'completion', 'help', 'version', 'page', 'workflow']],
  [
    ['help', ''],
    [...COMMANDS, 'worker', 'auth', 'completion', ...Object.keys(TOPICS), 'page'],
  ],
  [['help', 'auth', ''], ['status']],
  [
    ['runs', ''],
    ['list', 'show', 'logs', 'wait', 'cancel', 'resume', 'prune'],
  ],
  [
    ['workflow', 'runs', ''],
    ['list', 'show', 'logs', 'wait', 'cancel', 'resume', 'prune'],
  ],
  [['help', 'run', ''], []],
  [['workflow', ''], COMMANDS.filter((command) => !['lsp', 'mcp', 'ui'].includes(command))],
  [['run', ''], NAMES],
  [
    ['run', 'b'],
    [...NAMES, 'build'],
  ],
  [
    ['run', '-n', 'release', ''],
    ['STAGE:', 'VERSION:'],
  ],
  [['run', '-f', ''], FILES],
  [['run', '-f', 'no.json', ''], []],
  [['explain', 'release', '--step', ''], ['tag']],
  [['graph', 'release', ''], []],
  [['export', 'release', ''], []],
  [['export', 'release', '--format', ''], ['bash']],
  [
    ['plan', 'release', ''],
    ['STAGE:', 'VERSION:'],
  ],
  [['plan', '--check', ''], FILES],
  [['diff', ''], NAMES],
  [['diff', '--from', ''], FILES],
  [
    ['diff', '--format', ''],
    ['json', 'text', 'markdown'],
  ],
  [
    ['validate', '--format', ''],
    ['json', 'text', 'gitlab'],
  ],
] as const) {
  test(`in a subdirectory, \`cli ${typed.join(' ')}\` completes to ${texts.join(', ')}`, async (t) => {
    const cwd = join(temporaryDirectory(t, { '.git/HEAD': '', '.cli/workflow.json': FILE, 'a/b/x': '' }), 'a/b');
    const { stdout, ...rest } = await inProcess(t, ['completion', 'words', '--', 'fish', 'cli', ...typed], { cwd });
    assert.deepEqual(rest, { code: 0, signal: null, stderr: '' });
    const lines = stdout.split('\n').slice(0, -1);
    assert.deepEqual(
      lines.map((line) => line.replace(/\t.*/, '')),
      texts,
    );
  });
}
