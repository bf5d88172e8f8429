import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { check, compile } from '../support/goldens/schemas.ts';
import { quickCliWithAnnouncements as cliWithAnnouncements, inProcess } from '../support/in_process.ts';

const bash = (script: string): { command: string[] } => ({ command: ['bash', '-c', script] });

const listing = (name: string, ...secrets: string[]): object => ({ name, run: 'true', secrets });

type Provider = { command: string[] };

const entry = (name: string, source: string, { command }: Provider, ...steps: string[]): object => {
  return { name, source, command, steps };
};

test('secrets lists what each file declares, in file order, with the steps and hooks that list it', async (t) => {
  const [KEY, OWN] = [bash('touch started; echo of the file'), bash('touch started; echo of the include')];
  const cwd = temporaryDirectory(t, {
    '.cli/workflow.json': {
      include: { one: 'lib.json', two: { file: 'lib.json' } },
      secrets: { UNUSED: { command: ['true'] }, KEY, 'x-note': 'ignored', SET: { command: ['false'] } },
      error: { run: 'true', secrets: ['SET', 'KEY'] },
      workflows: {
        ci: {
          finally: { run: 'true', secrets: ['KEY'] },
          steps: [{ run: 'true', secrets: ['KEY'] }, { parallel: [listing('member', 'SET'), 'true'] }],
        },
      },
    },
    '.cli/lib.json': { secrets: { KEY: OWN }, workflows: { lib: { steps: [listing('own', 'KEY')] } } },
  });
  const { code, stdout, stderr } = await inProcess(t, ['workflow', 'secrets'], { cwd, env: { SET: 'x', KEY: '' } });
  assert.deepEqual(JSON.parse(stdout), [
    entry('UNUSED', 'command', { command: ['true'] }),
    entry('KEY', 'command', KEY, 'hook:error', 'ci/hook:finally', 'ci/step_1'),
    entry('SET', 'environment', { command: ['false'] }, 'hook:error', 'ci/member'),
    entry('KEY', 'command', OWN, 'one:lib/own', 'two:lib/own'),
  ]);
  check(compile('secrets'), JSON.parse(stdout));
  assert.deepEqual([code, stderr, existsSync(join(cwd, 'started'))], [0, '', false]);
});

test('a file without secrets has an empty list, and a malformed one is an error', async (t) => {
  const none = await inProcess(t, ['workflow', 'secrets', '--check'], { cwd: workflowDirectory(t, { workflows: {} }) });
  assert.deepEqual([none.code, none.stdout, none.stderr], [0, '[]\n', '']);
  const cwd = workflowDirectory(t, { secrets: { KEY: { command: [] } }, workflows: {} });
  const wrong = await inProcess(t, ['secrets'], { cwd });
  assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
  assert.match(wrong.stderr, /^\.cli\/workflow\.json:1:30: error: 'secrets\.KEY\.command' /);
});

/** Providers, their texts, and the environment of a check. */
const PROVIDERS: readonly (readonly [name: string, provider: object, ok: boolean | null, error?: string])[] = [
  ['GOOD', bash('echo start >> starts; echo hush-1'), true],
  ['SAME', bash('echo start >> starts; echo hush-1'), true],
  ['INHERITED', { command: ['no-such-program', '${vars.A}'] }, true],
  ['VARS', { command: ['echo', '${vars.A}'] }, null],
  ['LOST', { command: ['no-such-program'] }, false, "'no-such-program' was not found"],
  ['DENIED', { command: ['/dev/null'] }, false, "'/dev/null' could not be started: permission denied"],
  ['BAD', bash('echo hush-2; exit 7'), false, "'bash' failed with exit code 7"],
  ['SLOW', { command: ['sleep', '60'], timeout: '50ms' }, false, "'sleep' timed out after 50ms"],
  ['EMPTY', { command: ['echo'] }, false, "'echo' gave nothing"],
  ['LARGE', { command: ['yes', 'hush'] }, false, "'yes' gave more than 64 KiB"],
  ['BINARY', { command: ['printf', '\\377'] }, false, "'printf' gave a NUL byte or invalid UTF-8"],
  ['PATH_OF', { command: ['echo', '{"a":"hush"}'], value: '$.b' }, false, "'echo' gave no value at its path"],
];

test('secrets --check fetches each value once, and says what cannot be had', async (t) => {
  const secrets = Object.fromEntries(PROVIDERS.map(([name, provider]) => [name, provider]));
  const cwd = workflowDirectory(t, { secrets, workflows: {} });
  const env = { INHERITED: 'hush-3' };
  const { code, stdout, stderr } = await cliWithAnnouncements(['workflow', 'secrets', '--check'], { cwd, env });
  const document: readonly object[] = JSON.parse(stdout);
  check(compile('secrets'), document);
  assert.deepEqual(
    document,
    PROVIDERS.map(([name, provider, ok, error]) => {
      const command = 'command' in provider ? provider.command : undefined;
      const source = name === 'INHERITED' ? 'environment' : 'command';
      return Object.assign({ name, source, command, steps: [], ok }, error !== undefined && { error });
    }),
  );
  assert.deepEqual([code, stderr, readFileSync(join(cwd, 'starts'), 'utf8')], [1, '', 'start\n']);
  const shown = await cliWithAnnouncements(['secrets', '--check'], { cwd, env });
  assert.equal(shown.code, 1);
  assert.match(shown.stdout, /^GOOD +ok +bash -c 'echo start >> starts; echo hush-1'$/m);
  assert.match(shown.stdout, /^INHERITED +ok +environment$/m);
  assert.match(shown.stdout, /^VARS +not checked +echo \$\{vars\.A\}$/m);
  assert.match(shown.stdout, /^LOST +'no-such-program' was not found +no-such-program$/m);
  assert.equal(`${stdout}${shown.stdout}`.includes('hush-3'), false);
});
