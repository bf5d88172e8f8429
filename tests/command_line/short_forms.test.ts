import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readQuickly } from '../../src/cli/command_line/quick_parser.ts';
import { cli, temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { inProcess } from '../support/in_process.ts';
import { argvOf, caseOf, casesOf } from '../support/goldens/goldens.ts';

const FILE = {
  env: { WHO: 'world' },
  workflows: {
    greet: { description: 'Greet WHO', steps: ['echo "Hello, $WHO" >&2'] },
    inner: { private: true, steps: ['true'] },
    all: { private: false, steps: [{ workflow: 'inner' }] },
  },
};

/** Output on standard output, and success. */
const printed = (stdout: string): object => ({ code: 0, signal: null, stdout, stderr: '' });

test('`cli run` prints no document without `--format json`', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const run = await cli(['run', 'greet', 'WHO:you'], { cwd });
  assert.deepEqual(run, { code: 0, signal: null, stdout: '', stderr: 'Hello, you\n' });
  const json = await cli(['run', 'greet', 'WHO:you', '--format', 'json'], { cwd });
  assert.deepEqual(json, await cli(['workflow', 'run', 'greet', 'WHO:you'], { cwd }));
  assert.equal(
    json.stdout,
    '{"workflow":"greet","steps":[{"name":"step_1","command":"echo \\"Hello, $WHO\\" >&2","exit_code":0}],"success":true}\n',
  );
});

test('the short form has the exit codes of the long form', async (t) => {
  const cwd = workflowDirectory(t, {
    workflows: { bad: { steps: ['exit 7'] }, cut: { steps: ['kill -INT $PPID; sleep 9'] } },
  });
  const ends = async (...args: string[]): Promise<unknown[]> => {
    const { code, signal, stdout } = await cli(args, { cwd });
    return [code, signal, stdout];
  };
  assert.deepEqual(await ends('run', 'bad'), [1, null, '']);
  assert.deepEqual(await ends('run', 'missing'), [2, null, '']);
  assert.deepEqual(await ends('run', 'cut'), [null, 'SIGINT', '']);
});

test('`run --dry-run` prints the outline on standard output', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const outline = 'workflow greet\n  - step_1  echo "Hello, $WHO" >&2\n';
  for (const args of [['--dry-run'], ['-n'], ['-n', '-q']]) {
    assert.deepEqual(await inProcess(t, ['run', 'greet', ...args], { cwd }), printed(outline), args.join(' '));
  }
  const long = await inProcess(t, ['workflow', 'run', 'greet', '-n'], { cwd });
  assert.deepEqual(await inProcess(t, ['run', 'greet', '-n', '--format', 'json'], { cwd }), long);
  assert.equal(long.stderr, outline);
});

test('`list`, `validate` and `cli` without arguments print text', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const greet = 'greet  1 step  Greet WHO\n';
  const rest = 'all    1 step\n';
  assert.deepEqual(await inProcess(t, ['list'], { cwd }), printed(`${greet}${rest}`));
  assert.deepEqual(await inProcess(t, [], { cwd }), printed(`${greet}${rest}`));
  assert.deepEqual(
    await inProcess(t, ['list', '--all'], { cwd }),
    printed(`${greet}inner  1 step  (private)\n${rest}`),
  );
  assert.deepEqual(
    await inProcess(t, ['validate'], { cwd }),
    printed('.cli/workflow.json: valid, 0 errors, 0 warnings\n'),
  );
});

test('`cli` without arguments treats an invalid file as `list` does', async (t) => {
  const cwd = workflowDirectory(t, '{');
  const bare = await inProcess(t, [], { cwd });
  assert.equal(bare.code, 2);
  assert.deepEqual(bare, await inProcess(t, ['list'], { cwd }));
});

test('`list --format json`, `graph`, `explain` and `schema` print the same as their long forms', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  for (const args of [
    ['list', '--format', 'json', '--all', '--pretty'],
    ['graph', 'greet'],
    ['graph', 'greet', '--format=dot'],
    ['explain', 'greet'],
    ['explain', 'greet', '--format', 'json'],
    ['schema'],
  ]) {
    const long = await inProcess(t, ['workflow', ...args], { cwd });
    assert.equal(long.code, 0);
    assert.deepEqual(await inProcess(t, args, { cwd }), long, args.join(' '));
  }
});

test('`init` prints the created file and the next commands', async (t) => {
  const cwd = temporaryDirectory(t);
  const created =
    'created .cli/workflow.json\ncreated .cli/schema.json, the schema for editors; it belongs in the repository\n' +
    'to list the workflows: cli list\nto run a workflow: cli run hello\n' +
    'for coding agents: SKILL.md in the package of cli\n';
  assert.deepEqual(await inProcess(t, ['init'], { cwd }), printed(created));
  const json = await inProcess(t, ['init', '--format', 'json', '-f', 'other.json'], { cwd });
  assert.deepEqual(json, printed('{"file":"other.json","workflows":["hello","goodbye"]}\n'));
});

test('`help` and `version` are equivalent to the flags of these names', async (t) => {
  const cwd = temporaryDirectory(t);
  for (const [words, flags] of [
    [
      ['help', 'run'],
      ['run', '--help'],
    ],
    [
      ['help', 'workflow', 'run'],
      ['workflow', 'run', '-h'],
    ],
    [['version'], ['--version']],
    [['version'], ['-V']],
  ] as const) {
    const { code, stdout, stderr } = await inProcess(t, words, { cwd });
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(stdout, (await inProcess(t, flags, { cwd })).stdout);
  }
});

test('`run` without a name lists the workflows', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const stderr =
    'cli: the name of the workflow is missing; the workflows of .cli/workflow.json:\ngreet  1 step  Greet WHO\nall    1 step\n';
  for (const command of ['run', 'explain', 'graph']) {
    assert.deepEqual(await inProcess(t, [command], { cwd }), { code: 2, signal: null, stdout: '', stderr }, command);
  }
});

/** An entry of the document of `validate`. */
function finding(column: number, step: number, severity: string, code: string, message: string): object {
  return { file: '.cli/workflow.json', line: 1, column, severity, workflow: 'w', step, code, message };
}

test('`validate --format json` locates every error and warning', async (t) => {
  const file = { workflows: { w: { steps: [{ run: 'true', if: 'A = b' }, { rnu: 'true' }] } } };
  const cwd = workflowDirectory(t, file);
  const { code, stdout } = await inProcess(t, ['validate', '--format', 'json'], { cwd });
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(stdout), {
    file: '.cli/workflow.json',
    valid: false,
    findings: [
      finding(
        48,
        1,
        'error',
        'bare-comparison',
        'step 1: \'if\' runs a shell command, in which = compares nothing; to compare values, write [ "$A" = "value" ]',
      ),
      finding(58, 2, 'error', 'unknown-field', "step 2: unknown field 'rnu'; did you mean 'run'?"),
    ],
    omitted: 0,
  });
  const empty = await inProcess(t, ['validate', '--format', 'json', '-f', '-'], { cwd, input: '{"workflows": {}}' });
  assert.equal(empty.stdout, '{"file":"<stdin>","valid":true,"findings":[],"omitted":0}\n');
});

describe('golden runs', () => {
  for (const name of casesOf('runs')) {
    test(`both forms request the same for the run ${name.replaceAll('-', ' ')}`, () => {
      const given = ['run', '--file', 'workflow.json', '--format', 'json', ...argvOf(caseOf('runs', name))];
      const [short, long] = [readQuickly(given), readQuickly(['workflow', ...given])];
      if (short.kind !== 'command') assert.equal(long.kind, short.kind);
      else assert.deepEqual(long, { ...short, options: { ...short.options, form: 'long' } });
    });
  }
});

describe('golden texts of graph and explain', () => {
  for (const name of casesOf('views')) {
    test(`both forms print the golden texts of ${name.replaceAll('-', ' ')}`, async (t) => {
      const { directory: cwd, file } = caseOf('views', name);
      const [workflow = '', ...params] = argvOf({ directory: cwd, file });
      for (const [golden, args] of [
        ['graph.mmd', ['graph', workflow]],
        ['graph.dot', ['graph', workflow, '--format', 'dot']],
        ['explain.txt', ['explain', workflow, ...params]],
      ] as const) {
        const env = { STAGE: 'of the process' };
        const { stdout } = await inProcess(t, [...args, '-f', file], { cwd, env });
        assert.equal(stdout, readFileSync(join(cwd, golden), 'utf8'));
      }
    });
  }
});
