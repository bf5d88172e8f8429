import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { workflowDirectory, type CommandResult } from '../support/cli.ts';
import { quickCli as cli, inProcess } from '../support/in_process.ts';

const FILE = {
  default: 'build',
  workflows: {
    build: { description: 'Build it', aliases: ['b', 'bld'], steps: ['echo "build $MODE $@"'] },
    test: { aliases: ['A:1'], steps: [{ name: 'unit', run: 'echo "test $MODE"' }] },
    inner: { private: true, steps: [] },
  },
};

function ended(stderr: string, code = 0, stdout = ''): CommandResult {
  return { code, signal: null, stdout, stderr };
}

describe('`run` without the name of a workflow', () => {
  for (const [words, printed] of Object.entries({
    run: 'build  \n',
    'run MODE:slow': 'build slow \n',
    'run MODE=slow': 'build slow \n',
    'run MODE:slow -- x y': 'build slow x y\n',
    'run b MODE:slow': 'build slow \n',
    'run A:1 MODE:slow': 'test slow\n',
    'run -- test': 'test \n',
  })) {
    test(`the default workflow runs unless a word names a workflow: ${words}`, async (t) => {
      const { stderr, ...rest } = await cli(['--quiet', ...words.split(' ')], { cwd: workflowDirectory(t, FILE) });
      assert.deepEqual([stderr, rest], [printed, { code: 0, signal: null, stdout: '' }]);
    });
  }

  test('the words after `run` must be parameters', async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const problem = "cli: parameter 2 ('slow') is not of the form KEY:VALUE\ncli: usage: cli run build -- slow\n";
    assert.deepEqual(await inProcess(t, ['run', 'MODE:1', 'slow'], { cwd }), ended(problem, 2));
    const unknown =
      "cli: no workflow 'biuld' in .cli/workflow.json; did you mean 'build'?\ncli: to list the workflows: cli list --all\n";
    assert.deepEqual(await inProcess(t, ['run', 'biuld', 'MODE:1'], { cwd }), ended(unknown, 2));
  });

  const RELEASE = {
    default: 'release',
    workflows: {
      release: { inputs: { VERSION: {}, TRACK: {} }, steps: ['echo "$VERSION $TRACK"'] },
      'ios:test': { steps: ['true'] },
      unit: { steps: ['true'] },
    },
  };
  const LIST = 'to list the workflows: cli list --all';
  const GIVE = 'to give the value to the default workflow: cli run release';
  for (const [words, lines] of Object.entries({
    lint: ["no workflow 'lint' in .cli/workflow.json", LIST, `${GIVE} lint`],
    unti: ["no workflow 'unti' in .cli/workflow.json; did you mean 'unit'?", LIST, `${GIVE} unti`],
    '10:30': [
      "the key of parameter 1 ('10') is not a valid variable name: use letters, digits and underscores, and do not start with a digit",
      `${GIVE} 10:30`,
    ],
    'a b c': ["no workflow 'a' in .cli/workflow.json", LIST],
    'TRACK:x unlisted': ["parameter 2 ('unlisted') is not of the form KEY:VALUE", `${GIVE} TRACK:x unlisted`],
    'TRACK:x unit': [
      "parameter 2 ('unit') is not of the form KEY:VALUE",
      'to run both: cli run release TRACK:x + unit',
    ],
    'ios:tset': ["no workflow 'ios…' in .cli/workflow.json; did you mean 'ios:test'?", LIST],
    'API_TOKEN x': ["no workflow '***' in .cli/workflow.json", LIST, `${GIVE} …`],
  })) {
    test(`a word that is no parameter is no value of the default workflow: run ${words}`, async (t) => {
      const cwd = workflowDirectory(t, RELEASE);
      for (const command of ['run', 'status']) {
        const { code, stdout, stderr } = await inProcess(t, [command, ...words.split(' ')], { cwd });
        assert.deepEqual([code, stdout], [2, '']);
        assert.deepEqual(
          stderr
            .split('\n')
            .filter((line) => !line.includes('usage:'))
            .slice(0, -1),
          lines.map((line) => `cli: ${line}`),
        );
      }
      const complete = ['completion', 'words', '--', 'fish', 'cli', 'run', ...words.split(' '), 'V'];
      const { stdout } = await inProcess(t, complete, { cwd });
      assert.equal(stdout.includes('VERSION:'), /^TRACK|^10/.test(words));
    });
  }

  test('`explain` and `graph` need a name, and list the workflows', async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const names = [
      'cli: the name of the workflow is missing; the workflows of .cli/workflow.json:',
      'build  1 step  (default, aliases b, bld) Build it',
      'test   1 step  (alias A:1)',
      '',
    ].join('\n');
    for (const command of ['explain', 'graph']) {
      assert.deepEqual(await inProcess(t, ['workflow', command], { cwd }), ended(names, 2));
    }
  });
});

test('documents, reports and records contain the name of a workflow that was started by an alias', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const env = { CLI_NO_JOURNAL: undefined };
  const { stdout } = await cli(['workflow', 'run', 'b', '--report', 'report.json'], { cwd, env });
  const step = { name: 'step_1', command: 'echo "build $MODE $@"', exit_code: 0 };
  assert.deepEqual(JSON.parse(stdout), { workflow: 'build', steps: [step], success: true });
  assert.equal(JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')).workflow, 'build');
  const runs = await inProcess(t, ['workflow', 'runs', 'list'], { cwd });
  assert.deepEqual(
    JSON.parse(runs.stdout).map(({ workflow }: { workflow: string }) => workflow),
    ['build'],
  );
  const explained = await inProcess(t, ['explain', 'A:1', 'MODE:x', '--format', 'json'], { cwd });
  assert.equal(JSON.parse(explained.stdout).workflow, 'test');
  const graph = await inProcess(t, ['graph', 'A:1'], { cwd });
  assert.deepEqual(graph, await inProcess(t, ['graph', 'test'], { cwd }));
});

test('`list` shows aliases, and `run ALIAS --help` prints the usage of the workflow', async (t: TestContext) => {
  const cwd = workflowDirectory(t, FILE);
  const { stdout } = await inProcess(t, ['workflow', 'list'], { cwd });
  assert.deepEqual(JSON.parse(stdout), [
    { name: 'build', description: 'Build it', private: false, step_count: 1, aliases: ['b', 'bld'] },
    { name: 'test', description: '', private: false, step_count: 1, aliases: ['A:1'] },
  ]);
  const help = await inProcess(t, ['run', 'bld', '--help'], { cwd });
  assert.equal(help.stdout.split('\n\n').slice(0, 2).join('\n\n'), 'cli run build\n\nBuild it');
});

test('an invalid default or alias is an error before anything runs; an invalid default does not affect `list`', async (t) => {
  const cwd = workflowDirectory(t, { default: 'no', workflows: { a: { steps: ['touch ran'] } } });
  const refused = await inProcess(t, ['run', 'a'], { cwd });
  assert.deepEqual(
    [refused.code, refused.stderr.split('\n')[0]],
    [2, ".cli/workflow.json:1:12: error: 'default': unknown workflow 'no'"],
  );
  assert.equal((await inProcess(t, ['list'], { cwd })).stdout, 'a  1 step\n');
});

test('completion offers aliases if no public name matches, and the parameters of the default workflow', async (t) => {
  const cwd = workflowDirectory(t, {
    default: 'build',
    workflows: {
      build: { description: 'Build it', aliases: ['make', 'bld'], steps: [{ name: 'one', run: 'make "$MODE"' }] },
      test: { aliases: ['t2'], steps: ['echo "$SUITE"'] },
      inner: { private: true, aliases: ['in'], steps: [] },
    },
  });
  const complete = async (...words: readonly string[]): Promise<string[]> =>
    (await inProcess(t, ['completion', 'words', '--', 'fish', 'cli', ...words], { cwd })).stdout
      .split('\n')
      .slice(0, -1);
  assert.deepEqual(await complete('run', ''), ['build\tBuild it', 'test\t', 'MODE:\t']);
  assert.deepEqual(await complete('run', 'm'), [
    'build\tBuild it',
    'make\tBuild it',
    'bld\tBuild it',
    'test\t',
    't2\t',
    'inner\t',
    'in\t',
    'MODE:\t',
  ]);
  assert.deepEqual(await complete('run', 't2', ''), ['SUITE:\t']);
  assert.deepEqual(await complete('run', 'A:1', ''), ['MODE:\t']);
  assert.deepEqual(await complete('run', '--only', ''), ['one\tmake "$MODE"']);
  assert.deepEqual(await complete('graph', ''), ['build\tBuild it', 'test\t']);
});
