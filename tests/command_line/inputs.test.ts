import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { ONLY_PATH } from '../support/environment.ts';

const FILE = {
  workflows: {
    release: {
      description: 'Publish',
      inputs: {
        VERSION: { description: 'The version', required: true },
        TRACK: { type: 'choice', options: ['beta', 'a b'], default: 'beta' },
        SUBMIT: { type: 'boolean' },
        PIN: { secret: true, default: '1234' },
      },
      steps: ['echo "$VERSION $TRACK [${SUBMIT-unset}]"', { run: 'echo submitted', if: 'SUBMIT' }],
    },
  },
};

test('without a required input, no command runs anything', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const stderr = `cli: workflow 'release': the input VERSION (The version) is required, but has no value
cli: usage: cli run release VERSION:VALUE
`;
  for (const args of [['run'], ['run', '--dry-run'], ['explain', '--step', 'step_2']]) {
    const [command = '', ...flags] = args;
    const ended = await cli(['workflow', command, 'release', ...flags], { cwd, env: ONLY_PATH });
    assert.deepEqual([ended.code, ended.stderr], [2, stderr], args.join(' '));
    if (command === 'run') assert.equal(ended.stdout, '');
    else assert.match(ended.stdout, /^step_2 .*\n {2}\$ echo submitted\n {2}PIN=\*\*\* {2}\(inputs of release\)/);
  }
});

test('every layer can set a required input, and an empty value does not count', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const args = ['workflow', 'run', 'release', '--quiet'];
  const given = await cli(args, { cwd, env: { ...ONLY_PATH, VERSION: '2' } });
  assert.equal(given.stderr, '2 beta [unset]\n');
  const empty = await cli([...args, 'VERSION:'], { cwd, env: { ...ONLY_PATH, VERSION: '2' } });
  assert.equal(empty.code, 2);
  assert.equal(
    empty.stderr.split('\n')[0],
    "cli: workflow 'release': the input VERSION (The version) is required, but empty (parameters)",
  );
});

const BOOLEANS: Readonly<Record<string, readonly string[]>> = {
  '[true]\nsubmitted\n': ['true', 'Yes', ' y ', 'ON', '1'],
  '[]\n': ['false', 'No', 'n', ' off', '0', '', ' '],
};

test('the value of a boolean is `true` or empty, whichever layer sets it', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const args = ['workflow', 'run', 'release', 'VERSION:1', '--quiet'];
  for (const [printed, values] of Object.entries(BOOLEANS)) {
    for (const value of values) {
      const asParameter = await cli([...args, `SUBMIT:${value}`], { cwd, env: ONLY_PATH });
      assert.equal(asParameter.stderr, `1 beta ${printed}`, value);
    }
    const inherited = await cli(args, { cwd, env: { ...ONLY_PATH, SUBMIT: values[1] } });
    assert.equal(inherited.stderr, `1 beta ${printed}`);
  }
});

test('the usage line can be pasted: parameters are repeated and quoted for the shell, without secrets', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const { stderr } = await cli(['workflow', 'run', 'release', 'PIN:987', 'TRACK:a b', 'SUBMIT:2'], { cwd });
  assert.equal(
    stderr,
    `cli: workflow 'release': the input VERSION (The version) is required, but has no value
cli: workflow 'release': the input SUBMIT must be true or false, not '2' (parameters)
cli: usage: cli run release PIN:VALUE 'TRACK:a b' SUBMIT:true VERSION:VALUE
`,
  );
});

test('a secret input is masked in every view and for GitHub', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  for (const args of [['run', '--dry-run', '--debug'], ['explain'], ['list'], ['list', '--format', 'table']]) {
    const [command = '', ...flags] = args;
    const operands = command === 'list' ? [] : ['release', 'VERSION:1', 'PIN:98765'];
    const { code, stdout, stderr } = await cli(['workflow', command, ...operands, ...flags], { cwd, env: ONLY_PATH });
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(`${stdout}${stderr}`, /98765|1234/);
  }
  const github = { ...ONLY_PATH, GITHUB_ACTIONS: 'true' };
  const { stderr } = await cli(['workflow', 'run', 'release', 'VERSION:1', 'PIN:98765'], { cwd, env: github });
  assert.deepEqual(stderr.split('\n').slice(0, 2), ['::add-mask::1234', '::add-mask::98765']);
});

test('the options of a secret choice are not listed anywhere', async (t) => {
  const inputs = {
    PIN: { type: 'choice', options: ['1234', '98765'], default: '1234', secret: true },
    API_KEY: { type: 'choice', options: ['1234', '98765'], required: true },
  };
  const cwd = workflowDirectory(t, { workflows: { release: { inputs, steps: ['echo "$PIN $API_KEY"'] } } });
  const given = ['release', 'API_KEY:1234'];
  const lines = [
    ['run', 'release', '--help'],
    ['run', 'release'],
    ['run', 'release', 'API_KEY:1', 'PIN:2'],
    ['run', ...given, '--dry-run', '--debug'],
    ['list'],
    ['workflow', 'list'],
    ['explain', ...given],
    ['plan', 'release', 'API_KEY:'],
    ['graph', 'release'],
    ['completion', 'words', '--', 'fish', 'cli', 'run', 'release', 'PIN:'],
    ['completion', 'words', '--', 'fish', 'cli', 'run', 'release', 'API_KEY:'],
  ];
  for (const words of lines) {
    const { stdout, stderr } = await cli(words, { cwd, env: ONLY_PATH });
    assert.doesNotMatch(`${stdout}${stderr}`, /98765/, words.join(' '));
  }
  const { stderr } = await cli(['run', 'release', 'API_KEY:1'], { cwd, env: ONLY_PATH });
  assert.equal(
    stderr,
    `cli: workflow 'release': the input API_KEY must be one of its options, not '***' (parameters)
cli: usage: cli run release API_KEY:VALUE
`,
  );
  const bad = { PIN: { secret: true, type: 'choice', options: ['1234', 98765] } };
  const mistaken = workflowDirectory(t, JSON.stringify({ workflows: { w: { inputs: bad, steps: [] } } }, null, 2));
  const validated = await cli(['validate'], { cwd: mistaken, env: ONLY_PATH });
  assert.equal(validated.code, 1);
  assert.doesNotMatch(validated.stderr, /1234|98765/);
});

test('the help of a workflow begins with its usage and inputs', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const general = await cli(['workflow', 'run', '--help'], { cwd });
  const { stdout } = await cli(['workflow', 'run', 'release', '--help'], { cwd });
  const usage = `cli run release VERSION:VALUE [TRACK:beta] [SUBMIT:true] [PIN:VALUE]

Publish

Inputs:
  VERSION  (required) The version
  TRACK    (one of beta, a b; default beta)
  SUBMIT   (true or false)
  PIN      (default ***; secret)

`;
  assert.equal(stdout, usage + general.stdout);
  assert.equal((await cli(['workflow', 'run', 'other', '--help'], { cwd })).stdout, general.stdout);
});

test('completion offers inputs with their descriptions, and the values of choices and booleans', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const complete = async (word: string): Promise<string> => {
    return (await cli(['completion', 'words', '--', 'fish', 'cli', 'workflow', 'run', 'release', word], { cwd }))
      .stdout;
  };
  assert.equal(await complete(''), 'VERSION:\tThe version\nTRACK:\t\nSUBMIT:\t\nPIN:\t\n');
  assert.equal(await complete('TRACK='), 'TRACK=beta\t\nTRACK=a b\t\n');
  assert.equal(await complete('SUBMIT:'), 'SUBMIT:true\t\nSUBMIT:false\t\n');
  assert.equal(await complete('VERSION:'), '');
});
