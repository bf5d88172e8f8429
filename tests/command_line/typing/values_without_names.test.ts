import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { temporaryDirectory, workflowDirectory } from '../../support/cli.ts';
import { quickCli as cli } from '../../support/in_process.ts';
import { ONLY_PATH } from '../../support/environment.ts';

const FILE = {
  workflows: {
    release: {
      aliases: ['r'],
      inputs: {
        VERSION: { required: true },
        API_TOKEN: { default: 'none' },
        PIN: { secret: true, default: '0000' },
        TRACK: { type: 'choice', options: ['beta', 'stable'], default: 'stable' },
        SUBMIT: { type: 'boolean' },
      },
      steps: ['echo "$VERSION $TRACK [$SUBMIT] $API_TOKEN $PIN"'],
    },
    fetch: { inputs: { URL: {}, DEPTH: {} }, steps: ['curl -s https://a/b; echo "$URL $DEPTH"; exit 0'] },
    args: { inputs: { MODE: {} }, steps: ['echo "$MODE" "$@"'] },
    lint: { steps: ['echo "lint $MODE"'] },
    test: { steps: ['echo "test" "$@"'] },
  },
};

type Ended = Readonly<{ code: number | null; stdout: string; stderr: string }>;

/** The end of `cli run` with some words, without the lines of cli about steps. */
async function run(cwd: string, ...words: readonly string[]): Promise<Ended> {
  const { code, stdout, stderr } = await cli(words, { cwd, env: ONLY_PATH });
  return { code, stdout, stderr };
}

describe('values without a name', { concurrency: 2 }, () => {
  for (const [words, printed] of Object.entries({
    // Secret inputs are left out, and a value with a name comes first, wherever it stands.
    '1.2.0': '1.2.0 stable [] none 0000\n',
    '1.2.0 beta yes': '1.2.0 beta [true] none 0000\n',
    'beta VERSION:2': '2 beta [] none 0000\n',
    'VERSION=2 beta': '2 beta [] none 0000\n',
    '3 TRACK:beta true': '3 beta [true] none 0000\n',
    // Only the name of a variable before the sign makes a parameter.
    '10:30': '10:30 stable [] none 0000\n',
    'git@host:x': 'git@host:x stable [] none 0000\n',
    '1=2': '1=2 stable [] none 0000\n',
  })) {
    test(`they fill the declared inputs in the order of the file: run release ${words}`, async (t) => {
      const cwd = workflowDirectory(t, FILE);
      for (const start of [['run'], ['run', '--quiet', '--'], ['workflow', 'run', '--quiet', '--format', 'text']]) {
        const { code, stderr } = await run(cwd, ...start, 'release', ...words.split(' '));
        assert.deepEqual([code, stderr], [0, printed]);
      }
      assert.equal((await run(cwd, 'run', 'r', ...words.split(' '))).stderr, printed);
    });
  }

  test('a boolean or a choice is checked as ever', async (t) => {
    const { code, stderr } = await run(workflowDirectory(t, FILE), 'run', 'release', '1', 'gamma', 'perhaps');
    assert.deepEqual(
      [code, stderr.split('\n').slice(0, 2)],
      [
        2,
        [
          "cli: workflow 'release': the input TRACK must be one of beta, stable, not 'gamma' (parameters)",
          "cli: workflow 'release': the input SUBMIT must be true or false, not 'perhaps' (parameters)",
        ],
      ],
    );
  });

  const USAGE = 'cli run release VERSION:VALUE [API_TOKEN:VALUE] [PIN:VALUE] [TRACK:stable] [SUBMIT:true]';
  for (const [words, lines] of [
    [['release', 'VERSION', '1'], ["'VERSION' is the name of an input; did you mean 'VERSION:1'?"]],
    [['release', '1', 'TRACK'], ["'TRACK' is the name of an input; did you mean 'TRACK:VALUE'?"]],
    [['release', '1', 'API_TOKEN', 'hush'], ["'API_TOKEN' is the name of an input; did you mean 'API_TOKEN:VALUE'?"]],
    [
      ['release', '1', 'beta', 'yes', 'more'],
      ["no input of workflow 'release' is left for 'more'", `usage: ${USAGE}`],
    ],
    [
      ['release', '1', 'beta', 'yes', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'],
      ["no input of workflow 'release' is left for '***'", `usage: ${USAGE}`],
    ],
    [
      ['args', 'fast', 'a', 'b c'],
      [
        "no input of workflow 'args' is left for 'a'",
        "no input of workflow 'args' is left for 'b c'",
        "usage: cli run args [MODE:VALUE] -- a 'b c'",
      ],
    ],
    [
      ['args', 'MODE:1', 'lint'],
      [
        "no input of workflow 'args' is left for 'lint'",
        'usage: cli run args [MODE:VALUE] -- lint',
        'to run both: cli run args MODE:1 + lint',
      ],
    ],
    // Without declared inputs.
    [
      ['lint', 'fast'],
      ["parameter 1 ('fast') is not of the form KEY:VALUE", 'usage: cli run lint'],
    ],
    [
      ['lint', 'MODE', 'fast'],
      ["parameter 1 ('MODE') is not of the form KEY:VALUE; did you mean 'MODE:fast'?", 'usage: cli run lint'],
    ],
    [
      ['lint', 'test'],
      ["parameter 1 ('test') is not of the form KEY:VALUE", 'usage: cli run lint', 'to run both: cli run lint + test'],
    ],
    [
      ['test', 'a', 'b'],
      ["parameter 1 ('a') is not of the form KEY:VALUE; did you mean 'a:b'?", 'usage: cli run test -- a b'],
    ],
    [['VERSION:1', 'release', 'BETA:x'], ['the name of the workflow comes first: cli run release VERSION:1 BETA:x']],
    // A URL begins like a parameter.
    [
      ['fetch', 'https://a/b', '3'],
      ["nothing in workflow 'fetch' mentions the parameter 'https'; did you mean 'DEPTH:https://…'?"],
    ],
    [
      ['fetch', 'https://me:pw@a/b'],
      ["nothing in workflow 'fetch' mentions the parameter 'https'; did you mean 'URL:https://…'?"],
    ],
  ] as const) {
    test(`what no input takes is refused with what to type: run ${words.join(' ')}`, async (t) => {
      const cwd = workflowDirectory(t, FILE);
      const stderr = lines.map((line) => `cli: ${line}\n`).join('');
      assert.deepEqual(await run(cwd, 'run', ...words), { code: 2, stdout: '', stderr });
      assert.deepEqual(await run(cwd, 'workflow', 'run', ...words), { code: 2, stdout: '', stderr });
    });
  }

  test('the usage names the file that was named', async (t) => {
    const cwd = temporaryDirectory(t, { 'ci.json': FILE });
    const { stderr } = await run(cwd, 'run', '-f', 'ci.json', 'lint', 'test');
    assert.equal(
      stderr,
      `cli: parameter 1 ('test') is not of the form KEY:VALUE
cli: usage: cli run lint --file ci.json
cli: to run both: cli run --file ci.json lint + test
`,
    );
  });

  test('plan and diff take them as run does', async (t) => {
    const cwd = temporaryDirectory(t, { '.cli/workflow.json': FILE, 'old.json': { workflows: {} } });
    for (const words of [['plan'], ['plan', '--digest'], ['diff', '--from', 'old.json']]) {
      const named = await run(cwd, ...words, 'release', 'TRACK:beta', 'VERSION:1.2.0');
      assert.deepEqual(await run(cwd, ...words, 'release', 'beta', 'VERSION:1.2.0'), named);
      assert.equal(named.code, words[0] === 'diff' ? 1 : 0);
      const { code, stderr } = await run(cwd, ...words, 'release', '1', 'beta', 'yes', 'more');
      assert.equal(code, 2);
      assert.match(stderr, /^cli: no input of workflow 'release' is left for 'more'\ncli: usage: cli run release /);
    }
  });

  test('an unknown workflow is reported before its words', async (t) => {
    const { stderr } = await run(workflowDirectory(t, FILE), 'run', 'relaese', '1.2.0');
    assert.match(stderr, /^cli: no workflow 'relaese' in .*; did you mean 'release'\?\n/);
  });
});
