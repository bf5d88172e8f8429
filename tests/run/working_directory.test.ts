import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { finish, temporaryDirectory, withoutHelp } from '../support/cli.ts';
import { quickCli, quickCliWithAnnouncements as cliWithAnnouncements } from '../support/in_process.ts';
import { asOrdinaryUser } from '../support/ordinary_user.ts';
import { entry } from '../support/workflow.ts';

const HERE = 'echo "$PWD" >>"$LOG"; [ "$PWD" = "$(pwd -P)" ]';
const RETRY = { max_attempts: 2, delay: '1ms' };

/** The working directory, as printed by a condition and its step. */
const of = (path: string): string => `${path}\n${path.replaceAll('\n', '|')}|`;

describe('dir', { concurrency: 3 }, () => {
  test('the directory is that of the step, its call, the called workflow or the caller, in this order; hooks ignore it', async (t) => {
    const steps = [
      HERE,
      { run: HERE, dir: 'step' },
      { workflow: 'plain' },
      { workflow: 'own' },
      { workflow: 'own', dir: 'call' },
      { workflow: 'plain', dir: 'call' },
      { workflow: 'outer', dir: 'call' },
    ];
    const file = {
      before_all: HERE,
      after_all: HERE,
      finally: HERE,
      workflows: {
        ci: { dir: 'asked', steps },
        plain: { steps: [HERE, { run: HERE, dir: 'step' }] },
        own: { dir: 'own', steps: [HERE, { run: HERE, dir: 'step' }] },
        outer: { steps: [{ workflow: 'own' }, { workflow: 'plain' }] },
      },
    };
    const cwd = temporaryDirectory(t, { 'elsewhere/w.json': file });
    for (const name of ['asked', 'step', 'own', 'call']) mkdirSync(join(cwd, name));
    const args = ['workflow', 'run', 'ci', '--file', 'elsewhere/w.json'];
    const { code, stderr } = await cliWithAnnouncements(args, { cwd, env: { LOG: join(cwd, 'log') } });
    assert.equal(code, 0, stderr);
    const ran = readFileSync(join(cwd, 'log'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((path) => path.slice(cwd.length + 1));
    const inCalls = ['asked step', 'own step', 'call step', 'call step', 'own step call step'].join(' ').split(' ');
    assert.deepEqual(ran, ['', 'asked', 'step', ...inCalls, '', '']);
  });

  test('the directory applies to conditions, and can be absolute, a link, or have an unusual name', async (t) => {
    const cwd = temporaryDirectory(t);
    const odd = ' $HOME;"\n*é';
    mkdirSync(join(cwd, odd));
    symlinkSync(odd, join(cwd, 'link'));
    const steps = [odd, join(cwd, odd), 'link', '.', '..', '/'].map((dir) => ({
      run: `pwd -P | tr '\\n' '|' >>"$LOG"`,
      if: 'pwd -P >>"$LOG"',
      dir,
    }));
    const file = JSON.stringify({ workflows: { ci: { steps } } });
    const surroundings = { cwd, env: { LOG: join(cwd, 'log') }, input: file };
    const { code, stderr } = await cliWithAnnouncements(['workflow', 'run', 'ci', '--file', '-'], surroundings);
    assert.equal(code, 0, stderr);
    const inner = of(join(cwd, odd));
    const up = join(cwd, '..');
    assert.equal(readFileSync(join(cwd, 'log'), 'utf8'), [inner, inner, inner, of(cwd), of(up), of('/')].join(''));
  });

  const WRONG = [
    ['nosuch', "its dir 'nosuch' does not exist"],
    ['file', "its dir 'file' is not a directory"],
    ['file/x', "its dir 'file/x' cannot be entered: ENOTDIR: not a directory"],
    ['loop', "its dir 'loop' cannot be entered: ELOOP: too many symbolic links encountered"],
    ['gone', "its dir 'gone' does not exist"],
  ] as const;
  for (const [dir, reason] of WRONG) {
    test(`the invalid directory '${dir}' is reported: the step has exit code 126, and can be retried or allowed to fail`, async (t) => {
      const steps = [
        { run: 'true', dir, retry: RETRY, allow_failure: true },
        { run: 'true', dir: '.' },
        { run: 'true', dir },
        'echo never',
      ];
      const cwd = temporaryDirectory(t, {
        '.cli/workflow.json': { error: 'echo error', workflows: { ci: { steps } } },
        file: '',
      });
      symlinkSync('loop', join(cwd, 'loop'));
      symlinkSync('nosuch', join(cwd, 'gone'));
      const { code, stdout, stderr } = await cliWithAnnouncements(['workflow', 'run', 'ci'], { cwd });
      assert.equal(code, 1);
      assert.deepEqual(JSON.parse(stdout), {
        workflow: 'ci',
        steps: [
          { ...entry('step_1', 'true', 126), attempts: 2, allowed_failure: true },
          entry('step_2', 'true'),
          entry('step_3', 'true', 126),
        ],
        error: { command: 'echo error', exit_code: 0 },
        success: false,
      });
      assert.equal(
        withoutHelp(stderr),
        `cli: step 'step_1' of workflow 'ci' could not be started (attempt 1 of 2): ${reason}; retrying in 1ms\n` +
          `cli: step 'step_1' of workflow 'ci' could not be started (allowed): ${reason}\n` +
          `cli: step 'step_3' of workflow 'ci' could not be started: ${reason}\n` +
          'error\n',
      );
    });
  }

  test('an invalid directory of a condition fails the run', async (t) => {
    const steps = [{ run: 'true', if: 'test .', dir: 'nosuch' }];
    const cwd = temporaryDirectory(t, { '.cli/workflow.json': { workflows: { ci: { steps } } } });
    const { code, stdout, stderr } = await cliWithAnnouncements(['workflow', 'run', 'ci'], { cwd });
    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(stdout), { workflow: 'ci', steps: [], success: false });
    assert.equal(
      withoutHelp(stderr),
      "cli: the condition of step 1 of workflow 'ci' could not be started: its dir 'nosuch' does not exist\n",
    );
  });

  test('a directory created by a step is available to the next one', async (t) => {
    const steps = [
      'mkdir -p a/b',
      { run: 'echo here >file', dir: 'a/b' },
      { run: 'rm -r ../b', dir: 'a/b' },
      { run: 'true', dir: 'a/b', allow_failure: true },
    ];
    const cwd = temporaryDirectory(t, { '.cli/workflow.json': { workflows: { ci: { steps } } } });
    const { code, stderr } = await cliWithAnnouncements(['workflow', 'run', 'ci'], { cwd });
    assert.equal(code, 0);
    assert.ok(stderr.includes("could not be started (allowed): its dir 'a/b' does not exist"), stderr);
  });

  test('a directory that cannot be entered is reported, by an exported script, too', async (t) => {
    const workflows = { ci: { steps: [{ run: 'true', dir: 'closed' }] }, script: { steps: ['bash ci.sh'] } };
    const cwd = temporaryDirectory(t, { '.cli/workflow.json': { workflows } });
    writeFileSync(join(cwd, 'ci.sh'), (await quickCli(['export', 'ci'], { cwd })).stdout);
    mkdirSync(join(cwd, 'closed'));
    chmodSync(join(cwd, 'closed'), 0);
    const [program = '', ...args] = asOrdinaryUser(t, cwd);
    const [run, script] = [
      await finish(program, [...args, 'workflow', 'run', 'ci'], { cwd }),
      await finish(program, [...args, 'workflow', 'run', 'script', '--quiet'], { cwd }),
    ];
    assert.equal(run.code, 1, run.stderr);
    assert.equal(
      withoutHelp(run.stderr),
      "cli: step 'step_1' of workflow 'ci' could not be started: its dir 'closed' cannot be entered: EACCES: permission denied\n",
    );
    assert.deepEqual(
      script.stderr.split('\n').filter((line) => line.startsWith('ci.sh: ')),
      [
        "ci.sh: step 'step_1' of workflow 'ci'",
        "ci.sh: step 'step_1' of workflow 'ci' could not be started: its dir 'closed' cannot be entered",
      ],
    );
  });
});
