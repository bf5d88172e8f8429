import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory } from '../../support/cli.ts';
import { inProcess, quickCli as cli } from '../../support/in_process.ts';

const FILE = {
  workflows: {
    release: { aliases: ['r', 'ship it'], steps: ['touch ran'] },
    lint: { steps: ['true'] },
    'rotate-token': { steps: ['true'] },
  },
};
const SEE = "cli: see 'cli --help'\n";

/** Command lines that name a workflow in place of a command, and the only line that is printed. */
const INSTEAD: readonly (readonly [line: readonly string[], message: string])[] = [
  [['release'], "'release' is a workflow; to run it: cli run release"],
  [['release', 'VERSION:1'], "'release' is a workflow; to run it: cli run release VERSION:1"],
  [['release', 'NOTE:a b', "it's"], `'release' is a workflow; to run it: cli run release 'NOTE:a b' "it's"`],
  [['-n', 'release', '--', 'a'], "'release' is a workflow; to run it: cli run -n release -- a"],
  [['r', 'VERSION=1'], "'r' is a workflow; to run it: cli run r VERSION=1"],
  [['ship it'], "'ship it' is a workflow; to run it: cli run 'ship it'"],
  [['help', 'release'], "'release' is a workflow; for its help: cli run release --help"],
  // From the first word on that may be a secret, nothing is repeated.
  [['release', 'A:1', 'API_TOKEN:hush', 'B:2'], "'release' is a workflow; to run it: cli run release A:1 …"],
  // The flags may be those of `run`, or of the commands of the workflow: `run` says how to pass them on.
  [['release', '--verbose', 'x'], "'release' is a workflow; to run it: cli run release --verbose x"],
  [['release', 'A:1', '--password', 'hush'], "'release' is a workflow; to run it: cli run release A:1 …"],
  [['release', 'A:1', 'token', 'hush'], "'release' is a workflow; to run it: cli run release A:1 …"],
  [['release', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'], "'release' is a workflow; to run it: cli run release …"],
  [['release', 'DB:postgres://me:pw@db/x'], "'release' is a workflow; to run it: cli run release …"],
  [['release', '--report', 'API_KEY=hush'], "'release' is a workflow; to run it: cli run release --report …"],
  [['rotate-token', 'A:1'], "'rotate-token' is a workflow; to run it: cli run rotate-token …"],
];

for (const [line, message] of INSTEAD) {
  test(`a workflow in place of a command is refused with the command that runs it: cli ${line.join(' ')}`, async (t) => {
    const result = await inProcess(t, line, { cwd: workflowDirectory(t, FILE) });
    assert.deepEqual(result, { code: 2, signal: null, stdout: '', stderr: `cli: ${message}\n` });
  });
}

test('the suggested command runs, with the file of the same flag or of a parent directory', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { build: { steps: ['echo "built $MODE"'] } } });
  const named = await cli(['--file', '.cli/workflow.json', 'build', 'MODE:a b'], { cwd });
  assert.equal(
    named.stderr,
    "cli: 'build' is a workflow; to run it: cli run --file .cli/workflow.json build 'MODE:a b'\n",
  );
  const ran = await cli(['run', '--quiet', '--file', '.cli/workflow.json', 'build', 'MODE:a b'], { cwd });
  assert.deepEqual([ran.code, ran.stderr], [0, 'built a b\n']);
  const inside = workflowDirectory(t, FILE);
  await cli(['schema'], { cwd: inside });
  const { stderr } = await cli(['release'], { cwd: join(inside, '.cli') });
  assert.equal(stderr, "cli: 'release' is a workflow; to run it: cli run release\n");
});

/** Unknown words, and standard error. */
const UNKNOWN: readonly (readonly [line: readonly string[], stderr: string])[] = [
  [['relaese'], `cli: unknown command 'relaese'; did you mean 'run release'?\n${SEE}`],
  [['lit', 'x'], `cli: unknown command 'lit'; did you mean 'list' or 'run lint'?\n${SEE}`],
  [['wrokflow', 'list'], `cli: unknown command 'wrokflow'; did you mean 'workflow list'?\n${SEE}`],
  [['lit', '--verbose'], `cli: unknown command 'lit'; did you mean 'list' or 'run lint'?\n${SEE}`],
  [['help', '--verbose'], `cli: unknown flag '--verbose'\n${SEE}`],
  [['deploy'], `cli: unknown command 'deploy'\ncli: to run a workflow: cli run <name>\n${SEE}`],
  [['runs', 'lst'], `cli: unknown command 'runs lst'; did you mean 'runs list'?\n${SEE}`],
  [['auth', 'release'], `cli: unknown command 'auth release'; commands: auth status\n${SEE}`],
  [['help', 'fiel'], `cli: unknown command 'fiel'; did you mean 'file'?\n${SEE}`],
  [['--list'], `cli: unknown flag '--list'; did you mean 'cli list'?\n${SEE}`],
  [['--run', 'release'], `cli: unknown flag '--run'; did you mean 'cli run'?\n${SEE}`],
  [['--runs'], `cli: unknown flag '--runs'; did you mean 'cli runs list'?\n${SEE}`],
];

for (const [line, stderr] of UNKNOWN) {
  test(`an unknown word gets at most three suggestions, and no list of all commands: cli ${line.join(' ')}`, async (t) => {
    const result = await inProcess(t, line, { cwd: workflowDirectory(t, FILE) });
    assert.deepEqual(result, { code: 2, signal: null, stdout: '', stderr });
  });
}

test('more than three near names are cut to the nearest three', async (t) => {
  const steps = ['true'];
  const workflows = { lists: { steps }, lisp: { steps }, lis: { steps }, last: { steps } };
  const { stderr } = await inProcess(t, ['liste'], { cwd: workflowDirectory(t, { workflows }) });
  assert.equal(stderr, `cli: unknown command 'liste'; did you mean 'list', 'run lists' or 'run lisp'?\n${SEE}`);
});

test('standard input is not read for suggestions, and an invalid file does not matter', async (t) => {
  const cwd = workflowDirectory(t, '{ "workflows": [');
  const input = JSON.stringify(FILE);
  for (const line of [['release'], ['--file', '-', 'release']]) {
    const { code, stderr } = await inProcess(t, line, { cwd, input });
    assert.equal(code, 2);
    assert.equal(stderr, `cli: unknown command 'release'\ncli: to run a workflow: cli run <name>\n${SEE}`);
  }
});
