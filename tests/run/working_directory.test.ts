import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { cli, COMMAND_LINE, finish, temporaryDirectory, withoutHelp } from '../support/cli.ts';
import { quickCliWithAnnouncements as cliWithAnnouncements } from '../support/in_process.ts';
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

  test('a directory that cannot be entered is reported', async (t) => {
    const file = { workflows: { ci: { steps: [{ run: 'true', dir: 'closed' }] } } };
    const cwd = temporaryDirectory(t, { '.cli/workflow.json': file });
    mkdirSync(join(cwd, 'closed'));
    chmodSync(join(cwd, 'closed'), 0);
    const [program = '', ...args] = asOrdinaryUser(t, cwd);
    const { code, stderr } = await finish(program, [...args, 'workflow', 'run', 'ci'], { cwd });
    assert.equal(code, 1, stderr);
    assert.equal(
      withoutHelp(stderr),
      "cli: step 'step_1' of workflow 'ci' could not be started: its dir 'closed' cannot be entered: EACCES: permission denied\n",
    );
  });
});

describe('CLI_CALLER_DIR', { concurrency: 3 }, () => {
  const CALLER = '${vars.CLI_CALLER_DIR}';
  const told = (name: string): string => `echo "${name} $CLI_CALLER_DIR" >>"$LOG"`;
  const FILE = {
    env: { TOP: CALLER },
    secrets: { KEY: { command: ['sh', '-c', 'printf %s "$1 $CLI_CALLER_DIR"', 'sh', `${CALLER}/arg`] } },
    before_all: told('hook'),
    workflows: {
      ci: {
        steps: [
          { run: told('step'), if: told('condition') },
          { parallel: [{ run: told('member') }] },
          { name: 'out', run: told('outputs').concat('; echo out-of-step'), outputs: { NAME: 'text' } },
          { run: 'echo "reads $BOTH" >>"$LOG"', with: { BOTH: `${CALLER}|${'${steps.out.NAME}'}|${CALLER}` } },
          { run: 'echo "in $(pwd -P) $SUB $TOP" >>"$LOG"', dir: `${CALLER}/in`, with: { SUB: '${vars.TOP}/sub' } },
          { run: 'echo "key $KEY" >>"$LOG"', secrets: ['KEY'] },
          { run: 'cp a b', dir: CALLER, sources: ['a'], generates: [`${CALLER}/b`] },
          { run: `cd / && ${COMMAND_LINE} run --file "$LOG.json" nested` },
        ],
      },
    },
  };
  const NESTED = { workflows: { nested: { steps: [told('nested')] } } };
  const lines = (caller: string): string[] =>
    [
      ...['hook', 'condition', 'step', 'member', 'outputs'].map((name) => `${name} ${caller}`),
      `reads ${caller}|out-of-step|${caller}`,
      `in ${caller}/in ${caller}/sub ${caller}`,
      `key ${caller}/arg ${caller}`,
      'nested /',
    ];

  test('every command of a run and of a script has the directory in which it was started', async (t) => {
    const cwd = temporaryDirectory(t, { '.cli/workflow.json': FILE, 'log.json': NESTED });
    for (const caller of ['x y', 'z']) {
      mkdirSync(join(cwd, caller, 'in'), { recursive: true });
      writeFileSync(join(cwd, caller, 'a'), caller);
    }
    const surroundings = (caller: string): Parameters<typeof cli>[1] => ({
      cwd: join(cwd, caller),
      env: { LOG: join(cwd, 'log'), CLI_CALLER_DIR: '/elsewhere' },
    });
    const logged = (): string[] => readFileSync(join(cwd, 'log'), 'utf8').trimEnd().split('\n');
    const ran = await cli(['run', 'ci'], surroundings('x y'));
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual(logged(), lines(join(cwd, 'x y')));
    // What is up to date in one directory is not in the other.
    assert.equal((await cli(['run', 'ci'], surroundings('z'))).code, 0);
    assert.equal(readFileSync(join(cwd, 'z/b'), 'utf8'), 'z');
    const script = await cli(['export', 'ci'], surroundings('.'));
    assert.deepEqual([script.code, script.stderr], [0, '']);
    writeFileSync(join(cwd, 'script'), script.stdout);
    writeFileSync(join(cwd, 'log'), '');
    const executed = await finish('bash', ['../script'], surroundings('x y'));
    assert.equal(executed.code, 0, executed.stderr);
    assert.deepEqual(logged(), lines(join(cwd, 'x y')));
  });

  test('it is no part of plans, digests and dry runs, and no file or parameter sets it', async (t) => {
    const cwd = temporaryDirectory(t, { '.cli/workflow.json': FILE });
    mkdirSync(join(cwd, 'x'));
    const DRY_RUN = ['run', 'ci', '--dry-run', '--format', 'json'];
    for (const args of [['plan', 'ci'], ['plan', 'ci', '--digest'], DRY_RUN]) {
      const [here, below] = [await cli(args, { cwd }), await cli(args, { cwd: join(cwd, 'x') })];
      assert.deepEqual([here.code, here.stdout], [0, below.stdout], here.stderr);
    }
    const dryRun = await cli(DRY_RUN, { cwd });
    assert.match(dryRun.stdout, /"dir":"\$\{vars\.CLI_CALLER_DIR\}\/in"/);
    const valid = await cli(['validate', '--strict'], { cwd });
    assert.deepEqual([valid.code, valid.stdout], [0, '.cli/workflow.json: valid, 0 errors, 0 warnings\n'], valid.stderr);
    const reserved = 'cannot be set: it is reserved for the shell or this tool\n';
    const set = await cli(['run', 'ci', 'CLI_CALLER_DIR:/'], { cwd });
    assert.deepEqual([set.code, set.stderr], [2, `cli: the parameter CLI_CALLER_DIR ${reserved}`]);
  });

  test('a resume has that of the first session; one of an earlier record without it has its own', async (t) => {
    const steps = [{ run: 'echo "$CLI_CALLER_DIR" >>"$LOG"; cat ok', dir: CALLER }];
    const cwd = temporaryDirectory(t, { '.cli/workflow.json': { workflows: { ci: { steps } } } });
    for (const name of ['x', 'y', 'z']) mkdirSync(join(cwd, name));
    const env = { LOG: join(cwd, 'log'), CLI_NO_JOURNAL: undefined };
    const inside = (name: string): Parameters<typeof cli>[1] => ({ cwd: join(cwd, name), env });
    assert.equal((await cli(['run', 'ci'], inside('x'))).code, 1);
    assert.equal((await cli(['resume', '--last'], inside('y'))).code, 1);
    const id = readdirSync(join(cwd, '.cli/runs')).find((name) => !name.startsWith('.')) ?? '';
    for (const session of [1, 2]) {
      const path = join(cwd, '.cli/runs', id, `session-${session}.ndjson`);
      const record = readFileSync(path, 'utf8');
      assert.ok(record.includes(`"caller":"${cwd}/x"`));
      writeFileSync(path, record.replace(/"caller":"[^"]*",/, ''));
    }
    assert.equal((await cli(['resume', '--last'], inside('z'))).code, 1);
    assert.deepEqual(readFileSync(join(cwd, 'log'), 'utf8').split('\n'), ['x', 'x', 'z'].map((name) => join(cwd, name)).concat(''));
  });
});
