import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND_LINE, finish, temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { answer, ci, entry, result, runCi, workflow } from '../support/workflow.ts';

const VALID = { valid: true, errors: [] };
const LISTED = [{ name: 'ci', description: '', private: false, step_count: 1 }];

test('`--file` defaults to .cli/workflow.json for run, list and validate', async (t) => {
  const cwd = workflowDirectory(t, ci([':']));
  const ran = result(true, [entry('step_1', ':')]);
  assert.deepEqual((await answer(t, ['workflow', 'run', 'ci'], { cwd })).document, ran);
  assert.deepEqual((await answer(t, ['workflow', 'list'], { cwd })).document, LISTED);
  assert.deepEqual((await answer(t, ['workflow', 'validate'], { cwd })).document, VALID);
  const empty = temporaryDirectory(t);
  for (const words of [['run', 'ci'], ['list'], ['validate']]) {
    assert.deepEqual(await answer(t, ['workflow', ...words], { cwd: empty }), {
      code: 2,
      document: undefined,
      stderr: 'cli: no .cli/workflow.json here; to begin: cli init\n',
    });
  }
});

test('`--file -` reads standard input', async (t) => {
  const given = { cwd: temporaryDirectory(t), input: JSON.stringify(ci([':'])) };
  const read = async (...words: string[]): Promise<unknown> =>
    (await answer(t, ['workflow', ...words], given)).document;
  assert.deepEqual(await read('run', '--file', '-', 'ci'), result(true, [entry('step_1', ':')]));
  assert.deepEqual(await read('list', '--file', '-'), LISTED);
  assert.deepEqual(await read('validate', '--file=-'), VALID);
  const broken = await answer(t, ['workflow', 'validate', '--file', '-'], { ...given, input: '{' });
  assert.match(broken.stderr, /^<stdin>:1:2: error: /);
});

test('any readable file that is not a directory is accepted: a link, a device, a pipe', async (t) => {
  const cwd = temporaryDirectory(t, { 'real.json': ci([':']) });
  symlinkSync('real.json', join(cwd, 'link.json'));
  mkdirSync(join(cwd, 'folder.json'));
  const validate = ['workflow', 'validate', '--file'];
  assert.deepEqual((await answer(t, [...validate, 'link.json'], { cwd })).document, VALID);
  assert.deepEqual(await answer(t, [...validate, 'folder.json'], { cwd }), {
    code: 2,
    document: undefined,
    stderr: 'cli: cannot read folder.json: EISDIR: illegal operation on a directory\n',
  });
  const script = `${COMMAND_LINE} workflow validate --file <(cat real.json)`;
  const piped = await finish('bash', ['-c', script], { cwd });
  assert.deepEqual(
    { ...piped, stdout: JSON.parse(piped.stdout) },
    { code: 0, signal: null, stdout: VALID, stderr: '' },
  );
});

test('a file has at most 16 MiB', async (t) => {
  const text = JSON.stringify(ci([':'])).padEnd(16 * 1024 * 1024);
  const fits = await answer(t, ['workflow', 'list'], { cwd: workflowDirectory(t, text) });
  assert.deepEqual(fits, { code: 0, document: LISTED, stderr: '' });
  assert.deepEqual(await runCi(t, `${text} `), {
    code: 2,
    document: undefined,
    stderr: 'cli: cannot read .cli/workflow.json: it has more than 16777216 bytes (16 MiB)\n',
  });
});

test('`x-` keys are accepted everywhere and `$schema` at the top, and both are ignored', async (t) => {
  const ignored = { 'x-owner': [1, null] };
  const file = {
    $schema: 7,
    ...ignored,
    env: { A: 'a', ...ignored },
    workflows: { ci: { ...ignored, env: ignored, steps: [{ run: 'echo $A', with: ignored, ...ignored }] } },
  };
  const ran = result(true, [entry('step_1', 'echo $A')]);
  assert.deepEqual(await runCi(t, file), { code: 0, document: ran, stderr: 'a\n' });
});

test('comments, trailing commas and a byte-order mark are accepted', async (t) => {
  const text = '\uFEFF// one\n{ /* two */ "workflows": { "ci": { "steps": [":",], }, }, } // three';
  assert.deepEqual((await runCi(t, text)).document, result(true, [entry('step_1', ':')]));
});

test('a name is any non-empty string without control characters: __proto__, constructor, 10, spaces, quotes', async (t) => {
  const names = ['__proto__', 'constructor', 'toString', '10', ' ', `a 'b" c`, 'größe 大 😀', '$x', '-x'];
  const workflows = `{${names
    .map((name) => `${JSON.stringify(name)}: {"steps": [{"name": ${JSON.stringify(name)}, "run": ":"}]}`)
    .join(',')}}`;
  const cwd = workflowDirectory(t, `{"workflows": ${workflows}}`);
  const { document } = await answer(t, ['workflow', 'list'], { cwd });
  assert.deepEqual(
    document,
    names.map((name) => ({ name, description: '', private: false, step_count: 1 })),
  );
  for (const name of ['__proto__', '10', ' ', '-x']) {
    const ran = await answer(t, ['workflow', 'run', '--', name], { cwd });
    const expected = { workflow: name, steps: [entry(name, ':')], success: true };
    assert.deepEqual(ran, { code: 0, document: expected, stderr: '' });
  }
});

test('a variable can be called __proto__, constructor or toString', async (t) => {
  const env = '{"__proto__": "1", "constructor": "2"}';
  const shows = 'echo $__proto__ $constructor $toString';
  const text = `{"env": ${env}, "workflows": {"ci": {"steps": ["${shows}"]}}}`;
  const { document, stderr } = await runCi(t, text, ['toString:3']);
  const ran = result(true, [entry('step_1', shows)]);
  assert.deepEqual({ document, stderr }, { document: ran, stderr: '1 2 3\n' });
});

test('`steps: []` is valid, and a run of it succeeds', async (t) => {
  const file = ci([]);
  assert.deepEqual((await workflow(t, file, ['validate'])).document, VALID);
  assert.deepEqual((await runCi(t, file)).document, result(true, []));
});

test('a warning is printed to standard error and is not in the document', async (t) => {
  const file = ci([{ run: 'echo ran', if: '$FLAG', 'x-with': {} }], { env: { URL: '$HOST' } });
  for (const words of [['validate'], ['run', 'ci']]) {
    const { code, document, stderr } = await workflow(t, file, words);
    const expected = words[0] === 'run' ? result(true, [entry('step_1', 'echo ran')]) : VALID;
    assert.deepEqual({ code, document }, { code: 0, document: expected });
    const headings = stderr.split('\n').filter((line) => line.includes('warning: '));
    assert.equal(headings.length, 3, stderr);
  }
});

test('an unused parameter causes a warning that suggests the closest variable', async (t) => {
  const nothing = "cli: warning: nothing in workflow 'ci' mentions the parameter";
  const steps = [
    { run: 'echo $VERSION', if: 'READY', with: { TARGET: 'x' } },
    { run: 'exit 1', if: 'test -n "$MODE"' },
  ];
  const file = ci(steps, { env: { STAGE: 'x' }, error: 'echo $WHY' });
  const used = ['VERSION', 'READY', 'TARGET', 'MODE', 'STAGE', 'WHY'].map((name) => `${name}:`);
  assert.deepEqual((await runCi(t, file, used)).stderr, '');
  const { code, stderr } = await runCi(t, file, ['VERSON:1', 'UNLIKE:2']);
  const warned = `${nothing} 'VERSON'; did you mean 'VERSION'?\n${nothing} 'UNLIKE'\n`;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: warned });
});

test('`run` and `--dry-run` reject an invalid file with the messages of `validate` and exit code 2', async (t) => {
  const file = { workflows: { ci: { steps: [':'] }, other: { steps: [{}, { workflow: 'nosuch' }] } } };
  const cwd = workflowDirectory(t, file);
  const { stderr } = await cli(['workflow', 'validate'], { cwd });
  assert.match(stderr, /^\.cli\/workflow\.json:1:54: error: workflow 'other': step 1: missing /);
  for (const flags of [[], ['--dry-run']]) {
    const refused = await answer(t, ['workflow', 'run', ...flags, 'ci'], { cwd });
    assert.deepEqual(refused, { code: 2, document: undefined, stderr });
  }
});

test('`validate` reports invalid JSON with valid: false and one error with line and column', async (t) => {
  const error = "expected ',' or a closing bracket";
  const message = `line 2, column 16: ${error}`;
  assert.deepEqual(await workflow(t, '{ "env": {}\n               "workflows": {} }\n', ['validate']), {
    code: 1,
    document: { valid: false, errors: [{ workflow: '', message }] },
    stderr: [
      `.cli/workflow.json:2:16: error: ${error}`,
      '    2 |                "workflows": {} }',
      '      |                ^^^^^^^^^^^',
      '',
    ].join('\n'),
  });
});

test('`validate` reports invalid UTF-8 with exit code 1 and one error with line and column', async (t) => {
  const bytes = Buffer.from('{\n  "é": 1}', 'latin1');
  const expected = [
    [bytes, 'line 2, column 4: not valid UTF-8; save the file as UTF-8'],
    [Buffer.from('{}', 'utf16le'), 'line 1, column 1: the file is UTF-16; save it as UTF-8'],
  ] as const;
  for (const [file, message] of expected) {
    const { code, document } = await workflow(t, file, ['validate']);
    const errors = [{ workflow: '', message }];
    assert.deepEqual({ code, document }, { code: 1, document: { valid: false, errors } });
  }
});
