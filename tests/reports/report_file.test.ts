import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli, COMMAND, finish, temporaryDirectory, IS_STANDALONE, workflowDirectory } from '../support/cli.ts';
import { quickCli } from '../support/in_process.ts';
import { reportIn } from '../support/goldens/report.ts';
import { asOrdinaryUser } from '../support/ordinary_user.ts';
import { LINUX, script } from '../support/processes/shell.ts';

const STEP = 'touch ran';
const FILE = { workflows: { w: { steps: [STEP] } } };
const RESULT = `{"workflow":"w","steps":[{"name":"step_1","command":"${STEP}","exit_code":0}],"success":true}\n`;

for (const [what, words, problem] of [
  ['a directory', ['--report', 'sub'], 'cannot write the report sub: EISDIR: illegal operation on a directory'],
  [
    'in a missing directory',
    ['--report', 'no/r.xml'],
    'cannot write the report no/r.xml: its directory does not exist',
  ],
  [
    'of another format',
    ['--report', 'r.txt'],
    'cannot write the report r.txt: .txt is no format of reports: they are .json, .xml (JUnit) or .html',
  ],
  ['in a file', ['--report', 'text/r.html'], 'cannot write the report text/r.html: ENOTDIR: not a directory'],
  [
    'the workflow file',
    ['--report', 'sub/../.cli/workflow.json'],
    'cannot write the report .cli/workflow.json: it is the workflow file',
  ],
  ['standard output', ['--report', '-'], "'--report' needs a file: standard output holds the result"],
  ['combined with --dry-run', ['--dry-run', '--report', 'r.json'], "'--report' cannot be used with '--dry-run'"],
] as const) {
  test(`a report that is ${what} is rejected before anything runs`, async (t) => {
    const cwd = temporaryDirectory(t, { '.cli/workflow.json': FILE, 'sub/x': '', text: '' });
    const refused = { code: 2, signal: null, stdout: '', stderr: `cli: ${problem}\n` };
    assert.deepEqual(await quickCli(['workflow', 'run', 'w', ...words], { cwd }), refused);
    assert.equal(existsSync(join(cwd, 'ran')), false);
    assert.equal(readFileSync(join(cwd, '.cli/workflow.json'), 'utf8'), JSON.stringify(FILE));
  });
}

test('a report without write permission is rejected before anything runs', LINUX, async (t) => {
  const cwd = temporaryDirectory(t, { '.cli/workflow.json': FILE, 'r.json': 'old' });
  chmodSync(join(cwd, 'r.json'), 0o444);
  const [program = '', ...args] = asOrdinaryUser(t, cwd);
  const run = [...args, 'workflow', 'run', 'w', '--report', 'r.json'];
  const stderr = 'cli: cannot write the report r.json: EACCES: permission denied\n';
  assert.deepEqual(await finish(program, run, { cwd }), { code: 2, signal: null, stdout: '', stderr });
  assert.equal(readFileSync(join(cwd, 'r.json'), 'utf8'), 'old');
});

for (const [extension, start] of [
  ['json', '{\n  "version": 1,\n'],
  ['r1', '{\n  "version": 1,\n'],
  ['XML', '<?xml version="1.0" encoding="UTF-8"?>\n'],
  ['html', '<!doctype html>\n'],
] as const) {
  test(`the extension .${extension} determines the format of a report, and the file is overwritten`, async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const path = join(cwd, `r.${extension}`);
    writeFileSync(path, 'old'.repeat(100_000));
    const { code, stdout } = await quickCli(['workflow', 'run', 'w', `--report=r.${extension}`], { cwd });
    assert.deepEqual([code, stdout], [0, RESULT]);
    const text = readFileSync(path, 'utf8');
    assert.deepEqual([text.slice(0, start.length), text.includes('old')], [start, false]);
  });
}

test('the file of a report is empty during the run, and remains empty if cli is killed', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { w: { steps: ['cat r.json >seen; kill -KILL $PPID'] } } });
  writeFileSync(join(cwd, 'r.json'), 'old');
  const { signal } = await cli(['workflow', 'run', 'w', '--report', 'r.json'], { cwd });
  assert.deepEqual([signal, readFileSync(join(cwd, 'seen'), 'utf8')], ['SIGKILL', '']);
  assert.equal(readFileSync(join(cwd, 'r.json'), 'utf8'), '');
});

const FULL = 'cli: cannot write the report /dev/full: ENOSPC: no space left on device\n';

test('a report to a full disk results in exit code 74, and the document is printed', LINUX, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const lost = { code: 74, signal: null, stdout: RESULT, stderr: FULL };
  assert.deepEqual(await quickCli(['workflow', 'run', 'w', '--report', '/dev/full'], { cwd }), lost);
});

test('a report that could not be written completely is empty', LINUX, async (t) => {
  const steps = [...Array.from({ length: 100 }, () => ({ if: 'NO', run: STEP })), STEP];
  const cwd = workflowDirectory(t, { workflows: { w: { steps } } });
  const { stderr } = await script('ulimit -f 64; cli workflow run w --report r.json; echo "code $?" >&2', { cwd });
  assert.equal(stderr, 'cli: cannot write the report r.json: EFBIG: file too large\ncode 74\n');
  assert.equal(statSync(join(cwd, 'r.json')).size, 0);
});

test('if a step deletes the directory of the report, the report is lost with exit code 74, but not the document', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { w: { steps: ['rm -r dist'] } } });
  mkdirSync(join(cwd, 'dist'));
  const { code, stdout, stderr } = await quickCli(['workflow', 'run', 'w', '--report', 'dist/r.json'], { cwd });
  assert.deepEqual([code, stdout], [74, RESULT.replace(STEP, 'rm -r dist')]);
  assert.equal(stderr, 'cli: cannot write the report dist/r.json: its directory does not exist\n');
});

test('if a step recreates the directory of the report, the report is written to the new one', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { w: { steps: ['rm -r dist', 'mkdir dist'] } } });
  mkdirSync(join(cwd, 'dist'));
  const { code, stderr } = await quickCli(['workflow', 'run', 'w', '--report', 'dist/r.json'], { cwd });
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(reportIn(cwd, 'dist/r.json').success, true);
});

test('a report to a pipe or socket is rejected, even with a waiting reader or writer', LINUX, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  execFileSync('mkfifo', [join(cwd, 'pipe.xml')]);
  const run = 'cli workflow run w --report';
  const problem = 'it is a pipe or a socket';
  for (const [line, path] of [
    [`${run} pipe.xml`, 'pipe.xml'],
    [`exec 3<>pipe.xml; ${run} pipe.xml`, 'pipe.xml'],
    [`${run} /dev/stdout | cat`, '/dev/stdout'],
  ]) {
    const { stdout, stderr } = await script(line ?? '', { cwd });
    assert.deepEqual([stdout, stderr], ['', `cli: cannot write the report ${path}: ${problem}\n`]);
  }
  assert.equal(existsSync(join(cwd, 'ran')), false);
});

test('a report that a step replaces with a pipe is lost, without blocking', LINUX, async (t) => {
  const step = 'rm r.json; mkfifo r.json';
  const cwd = workflowDirectory(t, { workflows: { w: { steps: [step] } } });
  const { code, stdout, stderr } = await quickCli(['workflow', 'run', 'w', '--report', 'r.json'], { cwd });
  assert.deepEqual([code, stdout], [74, RESULT.replace(STEP, step)]);
  assert.equal(stderr, 'cli: cannot write the report r.json: it is a pipe or a socket\n');
});

test('a report to the file on standard input is rejected, and the file keeps its content', LINUX, async (t) => {
  const cwd = temporaryDirectory(t, { 'w.json': FILE, 'data.txt': 'data' });
  const onInput = 'cli workflow run w --file - --report w.json <w.json';
  assert.equal((await script(onInput, { cwd })).stderr, 'cli: cannot write the report w.json: it is standard input\n');
  const other = 'ln data.txt link; cli workflow run w --file w.json --report link <data.txt';
  assert.equal((await script(other, { cwd })).stderr, 'cli: cannot write the report link: it is standard input\n');
  assert.equal(readFileSync(join(cwd, 'w.json'), 'utf8'), JSON.stringify(FILE));
  assert.equal(readFileSync(join(cwd, 'data.txt'), 'utf8'), 'data');
});

test('a report to a device that is also standard input is written', LINUX, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const { stderr } = await script('cli workflow run w --report /dev/null </dev/null', { cwd });
  assert.equal(stderr, '');
});

// The standalone executable is a single file, which keeps running after its deletion.
if (!IS_STANDALONE) {
  test('a report is written even if a step replaces the files of cli', async (t) => {
    const cwd = workflowDirectory(t, { workflows: { w: { steps: ['rm -r tool'] } } });
    const [node, main = ''] = COMMAND;
    execFileSync('cp', ['-r', join(main, '..'), join(cwd, 'tool')]);
    const args = ['tool/cli.cjs', 'workflow', 'run', 'w', '--report', 'r.html'];
    const { code } = await finish(node, args, { cwd });
    assert.deepEqual([code, readFileSync(join(cwd, 'r.html'), 'utf8').slice(-8)], [0, '</html>\n']);
  });
}
