import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory, type CommandResult } from '../support/cli.ts';
import { inProcess, quickCli as cli } from '../support/in_process.ts';
import { createProject, done, refused } from '../support/project.ts';

const HOOKS = { before_all: './before.sh', after_all: './after.sh', error: './error.sh', finally: './finally.sh' };

const FILE = {
  ...HOOKS,
  workflows: {
    release: {
      steps: [
        { name: 'version', run: './version.sh', outputs: { NUMBER: 'text' } },
        { workflow: 'build', if: './check.sh', with: { V: '${steps.version.NUMBER}' } },
        { name: 'docs', run: './docs.sh', if: 'DOCS' },
        { name: 'flaky', run: './flaky.sh', retry: { max_attempts: 3, delay: '1ms' }, allow_failure: true },
        { name: 'publish', run: './publish.sh ${steps.version.NUMBER}' },
      ],
    },
    build: { steps: [{ name: 'compile', run: './compile.sh "$V"' }, './test.sh'] },
  },
};

const dryRun = async (t: TestContext, ...words: string[]): Promise<CommandResult> => {
  const { cwd } = createProject(t, FILE);
  return inProcess(t, ['workflow', 'run', 'release', '--dry-run', ...words], { cwd });
};

const assume = (...texts: string[]): string[] => texts.flatMap((text) => ['--assume', text]);

/** The entries of a result: names and exit codes. */
async function stepsOf(t: TestContext, ...words: string[]): Promise<string> {
  const { code, stdout } = await dryRun(t, ...words);
  assert.equal(code, 0);
  const names = [...stdout.matchAll(/\{"name":"(\w+)","command":(?:"(?:[^"\\]|\\.)*"),"exit_code":(\d+)/g)];
  return names.map(([, name, exit]) => `${name} ${exit}`).join(', ');
}

/** Each script, and the assumption that the step or hook that runs it fails. */
const SCRIPTS: readonly (readonly [script: string, assumption: string])[] = [
  ['before', 'before_all=3'],
  ['version', 'version=3'],
  ['check', 'if:build=false'],
  ['compile', 'build/compile=3'],
  ['test', 'build/step_2=3'],
  ['docs', 'docs=3'],
  ['flaky', 'flaky=3'],
  ['publish', 'publish=3'],
  ['after', 'after_all=3'],
  ['error', 'error=3'],
  ['finally', 'finally=3'],
];

for (const [script, assumption] of [...SCRIPTS, ['none', 'publish=ok'] as const]) {
  for (const docs of ['', 'yes']) {
    test(`the simulation of a run in which ${script} fails, with DOCS:${docs}, has the result of the run`, async (t) => {
      const param = `DOCS:${docs}`;
      const texts = SCRIPTS.map(([name]): [string, string] => {
        return [`${name}.sh`, `#!/bin/sh\n${name === 'version' ? 'echo 7\n' : ''}exit ${name === script ? 3 : 0}\n`];
      });
      const cwd = temporaryDirectory(t, { '.cli/workflow.json': FILE, ...Object.fromEntries(texts) });
      for (const [name] of texts) chmodSync(join(cwd, name), 0o755);
      const real = await cli(['workflow', 'run', 'release', param], { cwd });
      const words = ['--dry-run', ...assume('version.NUMBER=7', assumption)];
      const { code, stdout } = await inProcess(t, ['workflow', 'run', 'release', param, ...words], { cwd });
      assert.deepEqual({ code, stdout }, { code: 0, stdout: real.stdout });
    });
  }
}

test('steps, calls, conditions, hooks and outputs can be assumed, and the last assumption applies', async (t) => {
  assert.equal(
    await stepsOf(t, ...assume('publish=fail', 'publish=ok')),
    'version 0, compile 0, step_2 0, flaky 0, publish 0',
  );
  assert.equal(await stepsOf(t, ...assume('build=9', 'compile=ok')), 'version 0, compile 0, step_2 9');
  assert.equal(await stepsOf(t, ...assume('build=skip')), 'version 0, flaky 0, publish 0');
  assert.equal(await stepsOf(t, ...assume('build=skip', 'build=ok', 'step_2=1')), 'version 0, compile 0, step_2 1');
  assert.equal(
    await stepsOf(t, ...assume('if:docs=true', 'compile=skip', 'flaky=fail')),
    'version 0, step_2 0, docs 0, flaky 1, publish 0',
  );
  assert.equal(await stepsOf(t, ...assume('before_all=fail')), '');
  assert.equal(await stepsOf(t, ...assume('hook:before_all=255')), '');
});

test('an assumption can name a step by its number, or by its path where the name is ambiguous', async (t) => {
  assert.equal(await stepsOf(t, ...assume('5=4')), 'version 0, compile 0, step_2 0, flaky 0, publish 4');
  assert.equal(await stepsOf(t, ...assume('build/step_2=4')), 'version 0, compile 0, step_2 4');
});

test('the value of an output is its name in angle brackets, unless one is assumed', async (t) => {
  const outputs = async (...words: string[]): Promise<unknown> => {
    const { stdout } = await dryRun(t, ...words);
    return /"outputs":(\{[^}]*\})/.exec(stdout)?.[1];
  };
  assert.equal(await outputs(...assume('publish=ok')), '{"NUMBER":"<version.NUMBER>"}');
  assert.equal(await outputs(...assume('version.NUMBER=a=b')), '{"NUMBER":"a=b"}');
});

test('a step has precedence over an output and a hook of the same name', async (t) => {
  const steps = [
    { name: 'a', run: 'a', outputs: { B: 'text' } },
    { name: 'a.B', run: 'b' },
    { name: 'error', run: 'c' },
    { name: 'if:a', run: 'd' },
  ];
  const { cwd } = createProject(t, { error: 'e', workflows: { release: { steps } } });
  const result = async (text: string): Promise<string> => {
    const words = ['workflow', 'run', 'release', '-n', '--assume', text];
    return (await inProcess(t, words, { cwd })).stdout.replaceAll(/.*"command":"(\w)","exit_code":3.*\n/g, '$1');
  };
  assert.equal(await result('a.B=3'), 'b');
  assert.equal(await result('error=3'), 'c');
  assert.equal(await result('if:a=3'), 'd');
  const { stdout } = await inProcess(t, ['workflow', 'run', 'release', '-n', ...assume('a=1', 'hook:error=4')], {
    cwd,
  });
  assert.ok(stdout.includes('"error":{"command":"e","exit_code":4}'));
});

test('variables of the process decide no condition, but set required inputs', async (t) => {
  const file = {
    workflows: {
      main: {
        inputs: { KEY: { required: true } },
        steps: [{ workflow: 'deploy' }, { name: 'docs', run: './docs.sh', if: 'DOCS' }],
      },
      deploy: { inputs: { KEY: { required: true } }, steps: ['./deploy.sh'] },
    },
  };
  const { cwd } = createProject(t, file);
  const words = ['run', 'main', '-n', '--assume', 'deploy=ok'];
  assert.equal(
    (await inProcess(t, words, { cwd, env: { KEY: 'k', DOCS: 'yes' } })).stdout,
    [
      'workflow main, as assumed',
      '  - deploy/step_1  ./deploy.sh',
      '  - docs  skipped (DOCS is not set)',
      'the run would succeed: 1 step of 2 would run, 1 skipped',
      '',
    ].join('\n'),
  );
  const { code, stdout } = await inProcess(t, words, { cwd });
  assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
});

test('a confirmation is not requested, and counts as given', async (t) => {
  const steps = [{ name: 'publish', run: './publish.sh', confirm: 'Publish?' }];
  const { cli: tool } = createProject(t, { workflows: { main: { steps } } });
  const lines = [
    'workflow main, as assumed',
    '  - publish  ./publish.sh',
    'the run would succeed: 1 step of 1 would run',
    '',
  ];
  assert.deepEqual(await tool('run', 'main', '-n', ...assume('publish=ok')), done(lines.join('\n')));
  assert.equal((await tool('graph', 'main', ...assume('publish=ok'))).code, 0);
});

test('a simulation is limited to the selected part', async (t) => {
  assert.equal(await stepsOf(t, '--until', 'build', ...assume('flaky=fail')), 'version 0, compile 0, step_2 0');
});

test('with --quiet only the document is printed', async (t) => {
  const { stderr } = await dryRun(t, '--quiet', ...assume('publish=fail'));
  assert.equal(stderr, '');
});

test('all invalid assumptions are reported at once, without their values', async (t) => {
  const paths = 'version, build, build/compile, build/step_2, docs, flaky, publish';
  assert.deepEqual(
    await dryRun(
      t,
      ...assume(
        'versio=fail',
        'publish',
        '=fail',
        'publish=sesame',
        'publish=256',
        'if:publish=true',
        'if:docs=sesame',
      ),
      ...assume('publish.KEY=sesame', 'version.KEY=sesame', 'build.KEY=sesame', 'nothing.KEY=sesame', 'error=sesame'),
    ),
    refused(
      `--assume: workflow 'release' has no step 'versio'; steps: ${paths}`,
      "--assume 'publish': expected STEP=fail|skip|ok|dies|CODE, STEP.KEY=VALUE or if:STEP=true|false",
      "--assume '…': expected STEP=fail|skip|ok|dies|CODE, STEP.KEY=VALUE or if:STEP=true|false",
      "--assume 'publish': expected fail, skip, ok or an exit code",
      "--assume 'publish': expected fail, skip, ok or an exit code",
      "--assume: step 'publish' has no condition",
      "--assume: the condition of step 'docs' can be true or false",
      "--assume 'publish.KEY': the step has no outputs",
      "--assume 'version.KEY': the outputs of the step: NUMBER",
      "--assume 'build.KEY': the step has no outputs",
      `--assume: workflow 'release' has no step 'nothing'; steps: ${paths}`,
      "--assume 'error': expected fail, skip, ok or an exit code",
    ),
  );
});

test('an ambiguous name of a step, and a hook that the file does not define, are rejected', async (t) => {
  const { cli: tool } = createProject(t, {
    workflows: { main: { steps: [{ workflow: 'a' }, { workflow: 'a' }] }, a: { steps: [{ name: 'x', run: 'x' }] } },
  });
  assert.deepEqual(
    await tool('run', 'main', '-n', ...assume('x=fail', 'finally=fail')),
    refused(
      "--assume: workflow 'main' has several steps 'x': a/x, 2.a/x",
      "--assume 'finally': the file has no such hook",
    ),
  );
});

test('`--assume` requires `--dry-run`, and cannot be combined with a report', async (t) => {
  const { cwd, cli: tool } = createProject(t, FILE);
  assert.deepEqual(await tool('run', 'release', ...assume('publish=fail')), refused("'--assume' needs '--dry-run'"));
  assert.deepEqual(
    await tool('run', 'release', '-n', '--report', join(cwd, 'r.json'), ...assume('publish=fail')),
    refused("'--report' cannot be used with '--dry-run'"),
  );
  const { code, stderr } = await tool('list', ...assume('publish=fail'));
  assert.deepEqual([code, stderr.split('\n')[0]], [2, "cli: 'cli list' has no flag '--assume'"]);
});

test('`graph --assume` rejects the same assumptions as `run`', async (t) => {
  const { cli: tool } = createProject(t, FILE);
  assert.deepEqual(
    await tool('graph', 'release', ...assume('if:publish=true')),
    refused("--assume: step 'publish' has no condition"),
  );
});
