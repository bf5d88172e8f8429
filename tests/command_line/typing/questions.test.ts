import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { COMMAND_LINE, workflowDirectory } from '../../support/cli.ts';
import { ONLY_PATH } from '../../support/environment.ts';
import { needs } from '../../support/needs.ts';
import { CTRL_C, terminal, type Terminal } from '../../support/processes/terminal.ts';

const FILE = {
  finally: 'touch hook',
  workflows: {
    release: {
      inputs: {
        VERSION: { description: 'The version', required: true },
        TRACK: { type: 'choice', options: ['beta', 'stable'], required: true },
      },
      steps: ['echo "ran $VERSION $TRACK" >> ran'],
    },
    login: { inputs: { PIN: { secret: true, required: true } }, steps: ['printf %s "$PIN" > ran'] },
    many: {
      inputs: { A: { required: true }, B: { required: true }, C: { required: true }, D: { required: true } },
      steps: ['touch ran'],
    },
    caller: { steps: [{ workflow: 'login' }, 'touch ran'] },
  },
};
const VERSION = 'cli: VERSION (The version): ';
const TRACK = 'cli: TRACK (one of beta, stable): ';

/** `cli run` and the state of the terminal's echo, in bash in a new terminal. */
function asking(t: TestContext, cwd: string, words: string, env: Readonly<Record<string, string>> = {}): Terminal {
  const end = `echo "ended with $?"; stty -a | grep -wo -e '-\\?echo'`;
  const command = `trap : INT; ${COMMAND_LINE} run ${words}; ${end}`;
  return terminal(t, cwd, 'bash', ['-c', command], { ...ONLY_PATH, TERM: 'dumb', CLI_NO_JOURNAL: undefined, ...env });
}

function ran(cwd: string): string | undefined {
  return existsSync(join(cwd, 'ran')) ? readFileSync(join(cwd, 'ran'), 'utf8') : undefined;
}

describe('missing inputs at a terminal', { concurrency: 2, ...needs('python3') }, () => {
  test('are asked for, one line each, and the run starts with the answers', async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const screen = asking(t, cwd, 'release');
    await screen.shows(VERSION);
    screen.type('1.2.0 rc\r');
    await screen.shows(TRACK);
    screen.type('beta\r');
    await screen.shows('ended with 0');
    await screen.ended;
    assert.equal(ran(cwd), 'ran 1.2.0 rc beta\n');
  });

  test('are asked for only where nothing sets them', async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const screen = asking(t, cwd, 'release 1.2.0');
    const shown = await screen.shows(TRACK);
    assert.ok(!shown.includes(VERSION));
    screen.type('stable\r');
    await screen.shows('ended with 0');
    assert.equal(ran(cwd), 'ran 1.2.0 stable\n');
  });

  test('are checked, with three questions in all, and then the usage error follows', async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const screen = asking(t, cwd, 'release');
    await screen.shows(VERSION);
    screen.type('1\r');
    await screen.shows(TRACK);
    screen.type('gamma\r');
    await screen.shows("cli: the input TRACK must be one of beta, stable, not 'gamma' (typed)\r\n");
    screen.type('delta\r');
    const shown = await screen.shows('ended with 2');
    assert.equal(shown.split(TRACK).length, 3);
    const errors = shown.slice(shown.lastIndexOf('(typed)\r\n') + '(typed)\r\n'.length, shown.indexOf('ended'));
    assert.equal(
      errors.replaceAll('\r', ''),
      `cli: workflow 'release': the input TRACK is required, but has no value
cli: usage: cli run release VERSION:1 TRACK:beta
cli:   VERSION  (required) The version
cli:   TRACK    (required; one of beta, stable)
`,
    );
    assert.equal(ran(cwd), undefined);
    assert.equal(existsSync(join(cwd, '.cli/runs')), false);
  });

  test('a secret input is not echoed, and is in no line and no record', async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const screen = asking(t, cwd, 'login');
    await screen.shows('cli: PIN (secret): ');
    screen.type('h0sh 5\r');
    const shown = await screen.shows('ended with 0');
    await screen.ended;
    assert.doesNotMatch(shown, /h0sh/);
    assert.match(await screen.shows('echo\r\n'), /\necho\r\n$/);
    assert.equal(ran(cwd), 'h0sh 5');
    const records = readdirSync(join(cwd, '.cli/runs'), { recursive: true, withFileTypes: true });
    for (const file of records.filter((each) => each.isFile())) {
      assert.doesNotMatch(readFileSync(join(file.parentPath, file.name), 'utf8'), /h0sh/);
    }
  });

  for (const [words, question] of [
    ['release', VERSION],
    ['login', 'cli: PIN (secret): '],
  ] as const) {
    test(`Ctrl-C ends the tool by SIGINT: no hook, no record, and echo is on: ${words}`, async (t) => {
      const cwd = workflowDirectory(t, FILE);
      const screen = asking(t, cwd, words);
      await screen.shows(question);
      screen.type(CTRL_C);
      const shown = await screen.shows('echo\r\n');
      assert.match(shown, /ended with 130\r\necho\r\n$/);
      assert.deepEqual(readdirSync(cwd), ['.cli']);
      assert.deepEqual(readdirSync(join(cwd, '.cli')), ['workflow.json']);
    });
  }

  test('the tool dies of SIGINT itself, so that its caller stops too', async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const screen = terminal(t, cwd, 'bash', ['-c', `exec ${COMMAND_LINE} run login`], { ...ONLY_PATH, TERM: 'dumb' });
    await screen.shows('cli: PIN (secret): ');
    screen.type(CTRL_C);
    assert.deepEqual(await screen.ended, { code: null, signal: 'SIGINT' });
  });

  test('the end of input is no answer', async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const screen = asking(t, cwd, 'login');
    await screen.shows('cli: PIN (secret): ');
    screen.type('\x04');
    await screen.shows('ended with 2');
    assert.equal(ran(cwd), undefined);
  });

  test('are asked for after all other checks', async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const screen = asking(t, cwd, 'release --only nothing');
    const shown = await screen.shows('ended with 2');
    assert.ok(!shown.includes(VERSION));
  });

  for (const words of [
    'release --dry-run',
    'release --quiet',
    'release --yes',
    'release TRACK:gamma',
    'release VERSION:',
    'many',
    'caller',
  ]) {
    test(`are not asked for, but an error: run ${words}`, async (t) => {
      const cwd = workflowDirectory(t, FILE);
      const shown = await asking(t, cwd, words).shows('ended with ');
      assert.match(await asking(t, cwd, words).shows('ended with 2'), /cli: usage: cli run /);
      assert.doesNotMatch(shown, /\): $/m);
      assert.equal(ran(cwd), undefined);
    });
  }

  test('are an error in the long form and where CI is set', async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const shown = await asking(t, cwd, 'release', { CI: 'true' }).shows('ended with 2');
    assert.match(shown, /cli: usage: cli run release VERSION:VALUE TRACK:beta/);
    const command = `${COMMAND_LINE} workflow run release; echo "ended with $?"`;
    const long = terminal(t, cwd, 'bash', ['-c', command], { ...ONLY_PATH, TERM: 'dumb' });
    assert.match(await long.shows('ended with 2'), /cli: usage: cli run release VERSION:VALUE TRACK:beta/);
  });

  test('are asked for once with --watch, and no answer is an argument', async (t) => {
    const cwd = workflowDirectory(t, FILE);
    mkdirSync(join(cwd, 'src'));
    const screen = asking(t, cwd, 'login --watch src');
    await screen.shows('cli: PIN (secret): ');
    screen.type('h0sh\r');
    await screen.shows('waiting for changes');
    assert.equal(ran(cwd), 'h0sh');
    screen.type(CTRL_C);
    const shown = await screen.shows('echo\r\n');
    assert.equal(shown.split('PIN (secret)').length, 2);
    assert.doesNotMatch(shown, /h0sh/);
  });
});
