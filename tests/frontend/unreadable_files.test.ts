import assert from 'node:assert/strict';
import { chmodSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { finish, temporaryDirectory, type CommandResult } from '../support/cli.ts';
import { quickCli as cli, toolInProcess } from '../support/in_process.ts';
import { asOrdinaryUser } from '../support/ordinary_user.ts';
import { LINUX, script } from '../support/processes/shell.ts';

for (const [path, problem] of [
  ['missing.json', 'it does not exist'],
  ['directory', 'EISDIR: illegal operation on a directory'],
  ['empty.json', 'it is empty'],
  ['loop', 'ELOOP: too many symbolic links encountered'],
  ['empty.json/inside', 'ENOTDIR: not a directory'],
] as const) {
  test(`every command rejects ${path} with a one-line error: ${problem}`, async (t) => {
    const cwd = temporaryDirectory(t, { 'empty.json': '', 'directory/x': '' });
    symlinkSync('loop', join(cwd, 'loop'));
    const stderr = `cli: cannot read ${path}: ${problem}\n`;
    const refused = { code: 2, stdout: '', stderr };
    const real = await cli(['workflow', 'run', 'w', '--file', path], { cwd });
    assert.deepEqual(real, { ...refused, signal: null });
    const tool = toolInProcess(t);
    const absolute = { ...refused, stderr: stderr.replace(path, join(cwd, path)) };
    for (const words of [['run', 'w', '--dry-run'], ['list'], ['validate']]) {
      const args = ['workflow', ...words, '--file', join(cwd, path)];
      assert.deepEqual(await tool(args), absolute);
    }
  });
}

test('the error about a missing file contains the default path', async (t) => {
  const stderr = 'cli: no .cli/workflow.json here; to begin: cli init\n';
  const result = await cli(['workflow', 'run', 'w'], { cwd: temporaryDirectory(t) });
  assert.deepEqual(result, { code: 2, signal: null, stdout: '', stderr });
});

test('a file without read permission is rejected with a one-line error', LINUX, async (t) => {
  const cwd = temporaryDirectory(t, { 'secret.json': { workflows: {} } });
  chmodSync(join(cwd, 'secret.json'), 0o000);
  const [program = '', ...args] = asOrdinaryUser(t, cwd);
  const validate = [...args, 'workflow', 'validate', '--file', 'secret.json'];
  const stderr = 'cli: cannot read secret.json: EACCES: permission denied\n';
  assert.deepEqual(await finish(program, validate, { cwd }), { code: 2, signal: null, stdout: '', stderr });
});

function tooLarge(path: string): CommandResult {
  const stderr = `cli: cannot read ${path}: it has more than 16777216 bytes (16 MiB)\n`;
  return { code: 2, signal: null, stdout: '', stderr };
}

test('a file of 16 MiB is read, and a larger or endless file is rejected', LINUX, async (t) => {
  const around = '{"workflows": {}, "x-": ""}';
  const fill = 'a'.repeat(16 * 1024 * 1024 - around.length);
  const fits = around.replace('""', `"${fill}"`);
  const cwd = temporaryDirectory(t, { 'fits.json': fits, 'larger.json': `${fits} ` });
  const validate = (path: string): ReturnType<typeof cli> => cli(['workflow', 'validate', '--file', path], { cwd });
  assert.deepEqual(await validate('/dev/zero'), tooLarge('/dev/zero'));
  assert.deepEqual(await validate('larger.json'), tooLarge('larger.json'));
  const stdout = '{"valid":true,"errors":[]}\n';
  assert.deepEqual(await validate('fits.json'), { code: 0, signal: null, stdout, stderr: '' });
});

test('a file whose size the system reports as 0 is read to its end', LINUX, async (t) => {
  const { code, stderr } = await cli(['workflow', 'validate', '--file', '/proc/version'], {
    cwd: temporaryDirectory(t),
  });
  const text = readFileSync('/proc/version', 'utf8').trimEnd();
  assert.deepEqual([code, stderr.includes(`    1 | ${text.slice(0, 60)}`)], [1, true], stderr);
});

test('a file can be a pipe or standard input', async (t) => {
  const text = `file='{"workflows": {"w": {"steps": ["echo ran"]}}}'
    cli workflow run w --file <(echo "$file") && echo "$file" | cli workflow list --file -`;
  assert.deepEqual(await script(text, { cwd: temporaryDirectory(t) }), {
    code: 0,
    signal: null,
    stdout:
      '{"workflow":"w","steps":[{"name":"step_1","command":"echo ran","exit_code":0}],"success":true}\n' +
      '[{"name":"w","description":"","private":false,"step_count":1}]\n',
    stderr: 'ran\n',
  });
});

const SOUND = '{"workflows": {"ž": {"steps": []}}}';

/** Invalid files, with the message in the document and on standard error. */
const BAD: readonly (readonly [what: string, bytes: Buffer, message: string, drawn: string])[] = [
  [
    'UTF-16 with a byte-order mark',
    Buffer.from(`\uFEFF${SOUND}`, 'utf16le'),
    'line 1, column 1: the file is UTF-16; save it as UTF-8',
    'f:1:1: error: the file is UTF-16; save it as UTF-8\n',
  ],
  [
    'big-endian UTF-16 without a byte-order mark',
    Buffer.from(SOUND, 'utf16le').swap16(),
    'line 1, column 1: the file is UTF-16; save it as UTF-8',
    'f:1:1: error: the file is UTF-16; save it as UTF-8\n',
  ],
  [
    'a byte that is not UTF-8',
    Buffer.from('{"x-é":\n "a\xff"}', 'latin1').fill('é', 4, 6),
    'line 2, column 4: not valid UTF-8; save the file as UTF-8',
    'f:2:4: error: not valid UTF-8; save the file as UTF-8\n    2 |  "a�"}\n      |    ^\n',
  ],
  [
    'text after the document',
    Buffer.from('{"workflows": {}}\n{}'),
    'line 2, column 1: unexpected text after the end of the JSON document',
    'f:2:1: error: unexpected text after the end of the JSON document\n    2 | {}\n      | ^\n',
  ],
  [
    'a number that is not finite',
    Buffer.from('{"workflows": 1e400}'),
    "'workflows' must be an object, found a number",
    'f:1:15: error: \'workflows\' must be an object, found a number; for example "workflows": { "ci": { "steps": ["npm test"] } }\n    1 | {"workflows": 1e400}\n      |               ^^^^^\n',
  ],
  [
    'a document that is not an object',
    Buffer.from('[]'),
    'the file must be an object, found an array',
    'f:1:1: error: the file must be an object, found an array; for example { "workflows": { "ci": { "steps": ["npm test"] } } }\n    1 | []\n      | ^^\n',
  ],
  [
    'a file that ends early',
    Buffer.from('{"workflows": {'),
    "line 1, column 16: expected ',' or '}', but the file ends here",
    "f:1:16: error: expected ',' or '}', but the file ends here\n    1 | {\"workflows\": {\n      |                ^\n",
  ],
];

for (const [what, bytes, message, drawn] of BAD) {
  test(`${what} is an error with its position for validate, list and run`, async (t) => {
    const stderr = drawn.replace(/^f:/, '<stdin>:');
    assert.deepEqual(await cli(['workflow', 'validate', '--file', '-'], { cwd: temporaryDirectory(t), input: bytes }), {
      code: 1,
      signal: null,
      stdout: `${JSON.stringify({ valid: false, errors: [{ workflow: '', message }] })}\n`,
      stderr,
    });
    const tool = toolInProcess(t);
    const refused = { code: 2, stdout: '', stderr };
    assert.deepEqual(await tool(['workflow', 'list', '--file', '-'], { input: bytes }), refused);
    assert.deepEqual(await tool(['workflow', 'run', 'w', '--file', '-'], { input: bytes }), refused);
  });
}

test('a byte-order mark, comments and trailing commas are accepted', async (t) => {
  const input = '\uFEFF// a file\n{"workflows": {"w": {"steps": ["echo a", /* b */],},},}\n';
  const result = await cli(['workflow', 'run', 'w', '--file', '-'], { cwd: temporaryDirectory(t), input });
  assert.deepEqual([result.code, result.stderr], [0, 'a\n']);
});

test('duplicate keys are errors with both positions', async (t) => {
  const input = `{"workflows": {
  "a": {"steps": [{"run": "x", "run": "y", "with": {"V": "1", "V": "2"}}], "steps": []},
  "a": {"steps": []}
}, "workflows": {}}`;
  const tool = toolInProcess(t);
  const { code, stdout, stderr } = await tool(['workflow', 'validate', '--file', '-'], { input });
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(stdout), {
    valid: false,
    errors: [
      { workflow: 'a', message: "step 1: duplicate key 'run', first defined at line 2, column 20" },
      { workflow: 'a', message: "step 1: duplicate key 'V', first defined at line 2, column 53" },
      { workflow: 'a', message: "duplicate key 'steps', first defined at line 2, column 9" },
      { workflow: '', message: "duplicate key 'a', first defined at line 2, column 3" },
      { workflow: '', message: "duplicate key 'workflows', first defined at line 1, column 2" },
    ],
  });
  const places = stderr.split('\n').flatMap((line) => /^<stdin>:(\d+:\d+)/.exec(line)?.[1] ?? []);
  assert.deepEqual(places, ['2:32', '2:63', '2:76', '3:3', '4:4']);
});
