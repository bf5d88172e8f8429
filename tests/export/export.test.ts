import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { finish, temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { needs, program } from '../support/needs.ts';

/** A directory with a workflow file, and the script of its workflow `x`. */
async function exported(t: TestContext, file: object): Promise<string> {
  const cwd = workflowDirectory(t, file);
  const { code, stdout, stderr } = await cli(['export', 'x'], { cwd });
  assert.equal(code, 0, stderr);
  writeFileSync(join(cwd, 'x.sh'), stdout);
  return cwd;
}

const PLAIN = { workflows: { x: { description: 'Needs V', steps: ['echo "<$V>"'] } } };

test('export rejects parameters, which belong to the script', async (t) => {
  const cwd = workflowDirectory(t, PLAIN);
  const { code, stdout, stderr } = await cli(['export', 'x', 'V:1'], { cwd });
  const message = 'cli: `export` takes no parameters: the script does, as KEY:VALUE\n';
  assert.deepEqual({ code, stdout, stderr }, { code: 2, stdout: '', stderr: message });
});

test('export of an unknown workflow prints no script', async (t) => {
  const cwd = workflowDirectory(t, PLAIN);
  const { code, stdout } = await cli(['export', 'y'], { cwd });
  assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
});

/** Workflows that each call the next one. */
function chain(length: number): object {
  const callers = Array.from({ length }, (_, index) => [`w${index}`, { steps: [{ workflow: `w${index + 1}` }] }]);
  return { workflows: Object.fromEntries([...callers, [`w${length}`, { steps: ['echo deep'] }]]) };
}

test('export rejects calls that nest deeper than functions of bash can', async (t) => {
  const cwd = temporaryDirectory(t, { 'deep.json': chain(250), 'deeper.json': chain(251) });
  const deep = await cli(['export', 'w0', '--file', 'deep.json'], { cwd });
  writeFileSync(join(cwd, 'deep.sh'), deep.stdout);
  const { code, stderr } = await finish('bash', ['deep.sh'], { cwd });
  assert.deepEqual([code, stderr], [0, "deep.sh: step 'step_1' of workflow 'w250'\ndeep\n"]);
  const deeper = await cli(['export', 'w0', '--file', 'deeper.json'], { cwd });
  const message = "cli: the calls of workflow 'w0' are more than 250 levels deep\n";
  assert.deepEqual(deeper, { code: 2, signal: null, stdout: '', stderr: message });
});

test('a script has one function for a workflow that is called several times', async (t) => {
  const calls = [{ workflow: 'sub' }, { workflow: 'sub' }, { workflow: 'sub', with: { V: '2' } }];
  const cwd = await exported(t, { env: { V: '1' }, workflows: { x: { steps: calls }, sub: { steps: ['echo "$V"'] } } });
  const script = readFileSync(join(cwd, 'x.sh'), 'utf8');
  assert.deepEqual(script.match(/^workflow_\w+/gm), ['workflow_x', 'workflow_sub']);
  const { code, stderr } = await finish('bash', ['x.sh'], { cwd });
  assert.deepEqual([code, stderr.match(/^\d$/gm)], [0, ['1', '1', '2']]);
});

test('a script refuses a value that refers to an output, unless a parameter replaces the output', async (t) => {
  const steps = [
    { name: 'a', run: 'echo 1', outputs: { O: 'text' } },
    { workflow: 'sub', with: { X: '${steps.a.O}' } },
  ];
  const sub = { env: { Y: '<${vars.X}>' }, steps: ['echo "$Y"'] };
  const cwd = await exported(t, { workflows: { x: { steps }, sub } });
  const message = 'x.sh: a value refers to X, whose own value comes from an output\n';
  const refused = await finish('bash', ['x.sh'], { cwd });
  assert.deepEqual(refused, { code: 2, signal: null, stdout: '', stderr: message });
  const { code, stderr } = await finish('bash', ['x.sh', 'X:2'], { cwd });
  assert.deepEqual(
    [code, stderr],
    [0, "x.sh: step 'a' of workflow 'x'\n1\nx.sh: step 'step_1' of workflow 'sub'\n<2>\n"],
  );
});

for (const [title, command] of [
  ['from standard input', 'bash <x.sh'],
  ['from a pipe', 'cat x.sh | bash'],
  ['as an argument', 'bash -c "$(cat x.sh)"'],
  ['with source', 'source x.sh; exit 2'],
] as const) {
  test(`a script does not run ${title}`, async (t) => {
    const cwd = await exported(t, PLAIN);
    const { code, stdout, stderr } = await finish('bash', ['-c', command], { cwd });
    const message = 'save this script to a file, and run the file with bash 4.4 or later\n';
    assert.deepEqual({ code, stdout, stderr }, { code: 2, stdout: '', stderr: message });
  });
}

for (const [words, message] of [
  [['V'], 'a parameter is not of the form KEY:VALUE'],
  [['secret-key=1'], 'the key of a parameter is not a variable name'],
  [['BASH_ENV:1'], 'the parameter BASH_ENV cannot be set'],
  [['BASH_SOURCE:1'], 'the parameter BASH_SOURCE cannot be set'],
  [['_:1'], 'the parameter _ cannot be set'],
  [['--verbose'], 'unknown flag; it takes --dry-run, --yes and --help'],
  [['--', 'a'], 'nothing mentions the arguments after --'],
] as const) {
  test(`a script with the arguments ${words.join(' ')} does not start`, async (t) => {
    const cwd = await exported(t, PLAIN);
    const { code, stdout, stderr } = await finish('bash', ['x.sh', ...words], { cwd });
    assert.deepEqual({ code, stdout, stderr }, { code: 2, stdout: '', stderr: `x.sh: ${message}\n` });
  });
}

const V = '${vars.V:-sub}';
const INPUTS = { inputs: { A: { default: '' } } };

for (const [place, workflow, file] of [
  ['a command', { steps: ['echo "$V"'] }],
  ['a value', { env: { B: V }, steps: ['true'] }],
  ['a variable of a step', { steps: [{ run: 'true', with: { B: V } }] }],
  ['a condition', { steps: [{ run: 'true', if: 'V' }] }],
  ['a condition that is a command', { steps: [{ run: 'true', if: 'test "$V"' }] }],
  ['a directory', { steps: [{ run: 'true', dir: V }] }],
  ['a question', { steps: [{ run: 'true', confirm: V }] }],
  ['the readiness of a step', { steps: [{ run: 'echo sub; exec sleep 30', background: true, ready: { output: V } }] }],
  ['a hook', { steps: ['true'], finally: 'echo "$V"' }],
  [
    'the program of a secret',
    { steps: [{ run: 'true', secrets: ['S'] }] },
    { secrets: { S: { command: ['echo', V] } } },
  ],
] as const) {
  test(`a parameter that only ${place} mentions is accepted by a run and by a script; another one is not`, async (t) => {
    const cwd = await exported(t, { ...file, workflows: { x: { ...INPUTS, ...workflow } } });
    mkdirSync(join(cwd, 'sub'));
    const codes = [];
    for (const param of ['V:sub', 'W:sub']) {
      const run = await cli(['run', 'x', '--yes', '-q', param], { cwd });
      const script = await finish('bash', ['x.sh', '--yes', param], { cwd });
      codes.push(run.code, script.code);
    }
    assert.deepEqual(codes, [0, 0, 2, 2]);
  });
}

test('without a terminal, a question of a group behind a condition is refused before the group starts', async (t) => {
  const asking = { run: 'echo asked', confirm: 'Publish?' };
  const codes = [];
  for (const [members, output] of [
    [['echo other >out', asking], false],
    [['echo other >out', { parallel: [asking] }], false],
    [['echo other >out', { ...asking, if: 'GO' }], true],
    [['echo other >out', { parallel: [asking], if: 'GO' }], true],
    [['echo other >out', { ...asking, sources: ['.cli/*'] }], true],
    [['echo other >out', { parallel: [{ ...asking, sources: ['.cli/*'] }] }], true],
  ] as const) {
    const cwd = await exported(t, { workflows: { x: { steps: [{ parallel: members, if: 'GO' }] } } });
    const run = await cli(['run', 'x', '-q', 'GO:yes'], { cwd });
    const outputs = [existsSync(join(cwd, 'out'))];
    rmSync(join(cwd, 'out'), { force: true });
    const script = await finish('bash', ['x.sh', 'GO:yes'], { cwd });
    outputs.push(existsSync(join(cwd, 'out')));
    codes.push(run.code, script.code);
    assert.deepEqual(outputs, [output, output], JSON.stringify(members));
  }
  assert.deepEqual(
    codes,
    Array.from(codes, () => 1),
  );
});

test('a script checks for a program that reads outputs before anything runs', async (t) => {
  const outputs = { A: '$.a' };
  const cwd = await exported(t, {
    before_all: 'echo ran',
    workflows: { x: { steps: [{ name: 'a', run: 'true', outputs }] } },
  });
  const bin = join(temporaryDirectory(t), 'bin');
  mkdirSync(bin);
  for (const name of ['bash', 'env', 'mktemp']) symlinkSync(await which(name), join(bin, name));
  const { code, stderr } = await finish(await which('bash'), ['x.sh'], { cwd, env: { PATH: bin } });
  const message = 'x.sh: neither python3 nor jq 1.7 was found in PATH; the outputs of steps need one\n';
  assert.deepEqual({ code, stderr }, { code: 2, stderr: message });
});

async function which(name: string): Promise<string> {
  return (await finish('bash', ['-c', `type -P ${name}`], { cwd: '/' })).stdout.trim();
}

test('a script reads outputs with jq 1.7 if python3 is missing', needs('jq'), async (t) => {
  const { stdout: version } = await finish(program('jq'), ['--version'], { cwd: '/' });
  if (!/^jq-(?:1\.[7-9]|1\.\d\d|[2-9])/.test(version)) return t.diagnostic(`not tested with ${version.trim()}`);
  const step = { name: 'a', run: `echo '{"a": [1, {"b": "c d"}], "n": 12345678901234567890}'` };
  const outputs = { O: '$.a[1]', S: '$.a[-1].b', N: '$.n', T: 'text' };
  const last = 'echo ${steps.a.O} ${steps.a.S} ${steps.a.N} ${steps.a.T}';
  const cwd = await exported(t, { workflows: { x: { steps: [{ ...step, outputs }, last] } } });
  const bin = join(temporaryDirectory(t), 'bin');
  mkdirSync(bin);
  for (const name of ['bash', 'env', 'mktemp', 'jq', 'tee', 'wc', 'cksum', 'rm', 'sleep', 'cat']) {
    symlinkSync(await which(name), join(bin, name));
  }
  const { code, stderr } = await finish(await which('bash'), ['x.sh'], { cwd, env: { PATH: bin } });
  const printed = '{"b":"c d"} c d 12345678901234567890 {"a": [1, {"b": "c d"}], "n": 12345678901234567890}\n';
  assert.deepEqual([code, stderr.endsWith(printed)], [0, true], stderr);
});

for (const [shell, ...args] of [
  ['sh', 'x.sh'],
  ['bash', '-c', 'BASH_VERSION=3.2.57; set -- ; . ./check.sh'],
] as const) {
  test(
    `a script says in one line that it needs bash 4.4, before anything else, in ${shell}`,
    needs('dash'),
    async (t) => {
      const cwd = await exported(t, PLAIN);
      const text = readFileSync(join(cwd, 'x.sh'), 'utf8');
      // The first command, which older versions of bash and other shells can parse.
      writeFileSync(join(cwd, 'check.sh'), text.slice(0, text.indexOf('wf_usage()')));
      const { code, stdout, stderr } = await finish(shell === 'sh' ? program('dash') : shell, args, { cwd });
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /^\S+: this script needs bash 4\.4 or later \(on macOS: brew install bash\)\n$/);
    },
  );
}
