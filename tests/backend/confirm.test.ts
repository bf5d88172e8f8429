import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { cli, COMMAND_LINE, withoutAnnouncements, workflowDirectory } from '../support/cli.ts';
import { inProcess } from '../support/in_process.ts';
import { needs } from '../support/needs.ts';
import { bench, type Bench } from '../support/processes/bench.ts';
import { CTRL_C, terminal, type Terminal } from '../support/processes/terminal.ts';
import { effect, project, stepsOf } from '../support/runs/recorded_run.ts';
import { ci } from '../support/workflow.ts';

const HOOKS = { error: 'echo error >>log', finally: 'echo finally >>log' };

function log(name: string, more: object = {}): object {
  return { name, run: `echo ${name} >>log`, ...more };
}

function asking(name: string, more: object = {}): object {
  return log(name, { confirm: `Run ${name}?`, ...more });
}

/** Runs the workflow `ci` in a terminal; its document goes to a file. */
function inTerminal(
  t: TestContext,
  steps: readonly unknown[],
  words = '',
): Readonly<{ subject: Bench; shown: Terminal }> {
  const subject = bench(t, ci(steps, HOOKS));
  const command = `exec ${COMMAND_LINE} workflow run ci ${words} --quiet >out.json`;
  return { subject, shown: terminal(t, subject.cwd, 'bash', ['-c', command]) };
}

function entry(name: string): object {
  return { name, command: `echo ${name} >>log`, exit_code: 0 };
}

const FAILED = {
  error: { command: HOOKS.error, exit_code: 0 },
  finally: { command: HOOKS.finally, exit_code: 0 },
  success: false,
};

describe('at a terminal, a step with `confirm`', { concurrency: 3, ...needs('python3') }, () => {
  for (const answer of ['y', 'YES', ' Yes ']) {
    test(`a step runs after the answer ${JSON.stringify(answer)}`, async (t) => {
      const { subject, shown } = inTerminal(t, [
        'echo first >>log',
        asking('publish', {
          retry: { max_attempts: 3, delay: '1ms' },
          run: 'echo try >>log; test $(wc -l <log) -gt 2',
        }),
      ]);
      await shown.shows('cli: Run publish? [y/N] ');
      assert.deepEqual(subject.log(), ['first']);
      shown.type(`${answer}\n`);
      assert.deepEqual(await shown.ended, { code: 0, signal: null });
      assert.deepEqual(subject.log(), ['first', 'try', 'try', 'finally']);
    });
  }

  for (const answer of ['n\n', '\n', 'yess\n', '\x04']) {
    test(`the run ends as declined after the answer ${JSON.stringify(answer)}`, async (t) => {
      const { subject, shown } = inTerminal(t, [log('a'), asking('publish', { allow_failure: true }), log('later')]);
      await shown.shows('[y/N] ');
      shown.type(answer);
      assert.deepEqual(await shown.ended, { code: 1, signal: null });
      assert.deepEqual(subject.log(), ['a', 'error', 'finally']);
      assert.deepEqual(subject.document(), { workflow: 'ci', steps: [entry('a')], ...FAILED });
      assert.match(await shown.shows("step 'publish'"), /cli: step 'publish' of workflow 'ci' was declined/);
    });
  }

  test('Ctrl-C at the question interrupts the run, and `cli` terminates by SIGINT', async (t) => {
    const { subject, shown } = inTerminal(t, [log('a'), asking('publish')]);
    await shown.shows('[y/N] ');
    shown.type(CTRL_C);
    assert.deepEqual(await shown.ended, { code: null, signal: 'SIGINT' });
    assert.deepEqual(subject.log(), ['a', 'error', 'finally']);
    assert.deepEqual(subject.document(), { workflow: 'ci', steps: [entry('a')], ...FAILED, interrupted: 'SIGINT' });
  });

  test('the question is skipped if the condition does not hold, and with --yes', async (t) => {
    const { subject, shown } = inTerminal(t, [asking('a', { if: 'NO' }), asking('b', { if: 'false' })]);
    assert.deepEqual([await shown.ended, subject.log()], [{ code: 0, signal: null }, ['finally']]);
    const other = inTerminal(t, [asking('a')], '--yes');
    assert.deepEqual([await other.shown.ended, other.subject.log()], [{ code: 0, signal: null }, ['a', 'finally']]);
  });

  test('the members of a group ask once, before the group starts, unless they are known not to run', async (t) => {
    const steps = [
      { name: 'gives', run: 'echo yes', outputs: { V: 'text' } },
      {
        parallel: [
          log('a'),
          asking('b'),
          asking('unset', { if: 'NO' }),
          asking('c', { if: 'OUT', with: { OUT: '${steps.gives.V}' } }),
          { parallel: [asking('d', { if: 'test 1' })] },
        ],
      },
    ];
    const { subject, shown } = inTerminal(t, steps);
    for (const name of ['b', 'c']) {
      await shown.shows(`Run ${name}? [y/N] `);
      shown.type('y\n');
    }
    await shown.shows('Run d? [y/N] ');
    assert.deepEqual(subject.log(), []);
    shown.type('y\n');
    assert.deepEqual(await shown.ended, { code: 0, signal: null });
    assert.deepEqual(subject.log().toSorted(), ['a', 'b', 'c', 'd', 'finally']);
    assert.doesNotMatch(await shown.shows('Run d?'), /Run unset/);
  });

  test('each copy of a step with a matrix asks', async (t) => {
    const { subject, shown } = inTerminal(t, [asking('m', { matrix: { N: ['1', '2'] } })]);
    await shown.shows('cli: Run m? (1) [y/N] ');
    shown.type('y\n');
    await subject.logged('m');
    await shown.shows('cli: Run m? (2) [y/N] ');
    shown.type('n\n');
    assert.deepEqual(await shown.ended, { code: 1, signal: null });
    assert.deepEqual(subject.log(), ['m', 'error', 'finally']);
  });

  test('a question names values of variables and outputs: secrets masked, control characters escaped', async (t) => {
    const gives = { name: 'gives', run: 'printf 1.2.0', outputs: { TAG: 'text', API_KEY: 'text' } };
    const inner = { name: 'in', run: 'echo 7', outputs: { N: 'text' } };
    const confirm =
      'Deploy ${steps.gives.TAG} to ${vars.STAGE} as ${vars.USER_TOKEN} ${vars.NOPE:-alone} ${steps.gives.API_KEY}?';
    const steps = [
      gives,
      asking('deploy', { with: { STAGE: 'pro\u001bd' }, confirm }),
      { parallel: [{ workflow: 'branch' }] },
      asking('later', { confirm: 'Last ${steps.in.N}?' }),
    ];
    const branch = [inner, asking('member', { confirm: 'Go ${steps.in.N} ${steps.gives.TAG}?' })];
    const file = { env: { USER_TOKEN: 'hidden' }, workflows: { ci: { steps }, branch: { steps: branch } } };
    const questions = [
      'Deploy 1.2.0 to pro\\u001bd as *** alone ***? [y/N] ',
      // The step of the same group has not run.
      'Go ${steps.in.N} 1.2.0? [y/N] ',
      'Last 7? [y/N] ',
    ];
    const subject = bench(t, file);
    const shown = terminal(t, subject.cwd, 'bash', ['-c', `exec ${COMMAND_LINE} workflow run ci >out.json`]);
    for (const question of questions) {
      await shown.shows(`cli: ${question}`);
      shown.type('y\n');
    }
    assert.deepEqual([await shown.ended, subject.log()], [{ code: 0, signal: null }, ['deploy', 'member', 'later']]);

    const script = join(subject.cwd, 'script.sh');
    const { stdout } = await cli(['workflow', 'export', 'ci'], { cwd: subject.cwd });
    writeFileSync(script, stdout);
    const exported = terminal(t, subject.cwd, 'bash', [script]);
    await exported.shows("$'Deploy 1.2.0 to pro\\Ed as *** alone ***?' [y/N] ");
    exported.type('y\n');
    for (const question of questions.slice(1)) {
      await exported.shows(`script.sh: ${question}`);
      exported.type('y\n');
    }
    assert.deepEqual(await exported.ended, { code: 0, signal: null });
  });

  test('a declined member prevents its whole group from starting', async (t) => {
    const { subject, shown } = inTerminal(t, [{ parallel: [log('a'), asking('b')] }, log('later')]);
    await shown.shows('[y/N] ');
    shown.type('n\n');
    assert.deepEqual(await shown.ended, { code: 1, signal: null });
    assert.deepEqual(subject.log(), ['error', 'finally']);
    assert.deepEqual(subject.document(), { workflow: 'ci', steps: [], ...FAILED });
  });

  test('the run does not start in CI', async (t) => {
    const subject = bench(t, ci([log('a'), asking('b')]));
    const env = { TERM: 'dumb', CI: '1' };
    const shown = terminal(t, subject.cwd, 'bash', ['-c', `exec ${COMMAND_LINE} workflow run ci`], env);
    assert.deepEqual([await shown.ended, subject.log()], [{ code: 2, signal: null }, []]);
    await shown.shows('cli: no question is asked where CI is set; unset it, or to answer yes, add --yes');
  });
});

describe('without a terminal, a run with `confirm`', () => {
  const NO_TERMINAL = 'cli: there is no terminal to ask at; to answer yes, add --yes';

  test('the run does not start if a step asks unconditionally, and every question is named', async (t) => {
    const call = { workflow: 'inner' };
    const steps = [
      log('a'),
      asking('b'),
      { parallel: [asking('c')] },
      call,
      call,
      asking('d', { if: 'test 1' }),
      asking('m', { matrix: { N: ['1', '2'] } }),
    ];
    const file = { workflows: { ci: { steps }, inner: { steps: [asking('e')] } } };
    const cwd = workflowDirectory(t, file);
    assert.deepEqual(await inProcess(t, ['workflow', 'run', 'ci'], { cwd }), {
      code: 2,
      signal: null,
      stdout: '',
      stderr: [
        NO_TERMINAL,
        "cli: step 'b' of workflow 'ci' asks: Run b?",
        "cli: step 'c' of workflow 'ci' asks: Run c?",
        "cli: step 'e' of workflow 'inner' asks: Run e?",
        "cli: step 'm (1)' of workflow 'ci' asks: Run m?",
        "cli: step 'm (2)' of workflow 'ci' asks: Run m?",
        '',
      ].join('\n'),
    });
    for (const words of [['--yes'], ['--dry-run'], ['--only', 'a']]) {
      assert.equal((await cli(['workflow', 'run', 'ci', ...words], { cwd })).code, 0, words.join(' '));
    }
    assert.equal((await inProcess(t, ['workflow', 'run', 'ci', '--from', 'c'], { cwd })).code, 2);
  });

  test('a question shows variables, but no outputs before the run, and a step whose question lacks an output fails', async (t) => {
    const gives = { name: 'gives', run: 'false', allow_failure: true, outputs: { TAG: 'text' } };
    const steps = [
      gives,
      asking('b', { with: { STAGE: 'prod' }, confirm: 'Deploy ${steps.gives.TAG} to ${vars.STAGE}?' }),
    ];
    const cwd = workflowDirectory(t, ci(steps));
    const { stderr } = await inProcess(t, ['workflow', 'run', 'ci'], { cwd });
    assert.equal(stderr, `${NO_TERMINAL}\ncli: step 'b' of workflow 'ci' asks: Deploy \${steps.gives.TAG} to prod?\n`);
    const failed = await cli(['workflow', 'run', 'ci', '--yes'], { cwd });
    const reason =
      "${steps.gives.TAG} has no value, because step 'gives' failed; to use a text instead, write ${steps.gives.TAG:-text}";
    assert.equal(
      withoutAnnouncements(failed.stderr),
      `cli: step 'gives' of workflow 'ci' failed with exit code 1 (allowed)\ncli: step 'b' of workflow 'ci' could not be started: ${reason}\n`,
    );
  });

  test('the run ends as declined at a step behind a condition', async (t) => {
    const cwd = workflowDirectory(t, ci([log('a'), asking('b', { if: 'test 1' }), log('c')], HOOKS));
    const { stdout, stderr, code } = await cli(['workflow', 'run', 'ci'], { cwd });
    assert.deepEqual([code, JSON.parse(stdout)], [1, { workflow: 'ci', steps: [entry('a')], ...FAILED }]);
    assert.equal(
      withoutAnnouncements(stderr),
      "cli: step 'b' of workflow 'ci' asks a question, but there is no terminal, or CI is set; to answer yes, add --yes\n",
    );
  });

  test('the run ends as declined at a group member behind a condition, and the other members finish', async (t) => {
    const cwd = workflowDirectory(t, ci([{ parallel: [log('a'), asking('b', { if: 'test 1' })] }]));
    const { stdout, code } = await cli(['workflow', 'run', 'ci'], { cwd });
    assert.deepEqual([code, stepsOf(stdout)], [1, ['a 0']]);
  });
});

test('a resume runs a declined step, and asks again', async (t) => {
  const { cli: run, effects } = project(t, [effect('a'), effect('b', { confirm: 'Really?', if: 'test 1' })]);
  assert.equal((await run('run ci')).code, 1);
  const refused = await run('resume --last');
  assert.deepEqual([refused.code, stepsOf(refused.stdout)], [1, ['a 0 kept']]);
  const { code, stdout } = await run('resume --last --yes');
  assert.deepEqual([code, stepsOf(stdout), effects()], [0, ['a 0 kept', 'b 0'], ['a', 'b']]);
});

test('a run that asks is waiting, with its question and the steps to come', needs('python3'), async (t) => {
  const { cwd, cli: run } = project(t, [effect('a', { confirm: 'Really?' }), effect('b')]);
  const command = `unset CLI_NO_JOURNAL; exec ${COMMAND_LINE} workflow run ci --quiet >out.json`;
  const shown = terminal(t, cwd, 'bash', ['-c', command]);
  await shown.shows('Really? [y/N] ');
  const [{ state, question }] = JSON.parse((await run('runs list')).stdout);
  const { steps, ...document } = JSON.parse((await run('runs show --last')).stdout);
  assert.deepEqual([state, question, document.state, document.question], ['waiting', 'Really?', 'waiting', 'Really?']);
  assert.deepEqual(
    steps.map(({ path, state: of }: Record<string, unknown>) => [path, of]),
    [
      ['a', 'not reached'],
      ['b', 'not reached'],
    ],
  );
  const { stdout } = await run('runs show --last --format text');
  const lines = ['  for an answer at its terminal: Really?', '  ○ a  not reached', '  ○ b  not reached', ''];
  assert.match(stdout, /^run .*: waiting, started \d+s ago\n/);
  assert.deepEqual(stdout.split('\n').slice(1), lines);
  shown.type('y\n');
  assert.deepEqual(await shown.ended, { code: 0, signal: null });
  const [ended] = JSON.parse((await run('runs list')).stdout);
  assert.deepEqual([ended.state, ended.question], ['succeeded', undefined]);
});

test('a resume does not ask for a finished step', async (t) => {
  const { cli: run } = project(t, [effect('a', { confirm: 'Really?' }), effect('b', { run: 'test -e .cli/go' })]);
  assert.equal((await run('run ci --yes')).code, 1);
  const { stdout } = await run('resume --last');
  assert.deepEqual(stepsOf(stdout), ['a 0 kept', 'b 1']);
});

for (const [format, expected] of Object.entries({
  json: /"status": "declined",\n +"reason": "there was no terminal to ask at, or CI was set"/,
  xml: /<failure message="there was no terminal to ask at, or CI was set" type="declined">/,
  html: /<td class="result">✗ declined: there was no terminal to ask at, or CI was set<\/td>/,
})) {
  test(`a ${format} report contains the declined step`, async (t) => {
    const cwd = workflowDirectory(t, ci([asking('b', { if: 'test 1' })]));
    const path = join(cwd, `report.${format}`);
    assert.equal((await cli(['workflow', 'run', 'ci', '--report', path], { cwd })).code, 1);
    assert.match(readFileSync(path, 'utf8'), expected);
  });
}

test('the question of a waiting run has the combination of the copy that asks', needs('python3'), async (t) => {
  const { cwd, cli: run } = project(t, [effect('a', { confirm: 'Really?', matrix: { PKG: ['b'] } })]);
  const shown = terminal(t, cwd, 'bash', ['-c', `unset CLI_NO_JOURNAL; exec ${COMMAND_LINE} workflow run ci --quiet`]);
  await shown.shows('Really? (b) [y/N] ');
  assert.equal(JSON.parse((await run('runs list')).stdout)[0].question, 'Really? (b)');
  shown.type('y\n');
  assert.deepEqual(await shown.ended, { code: 0, signal: null });
});
