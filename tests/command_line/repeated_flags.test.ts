import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { quickCli as cli, inProcess } from '../support/in_process.ts';
import { VERSION } from '../../src/base/version.ts';

const FILE = { workflows: { w: { steps: [{ name: 'a', run: 'true' }] } } };

test('`--report` may be repeated, and each file is written', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const args = ['run', 'w', '--report', 'r.json', '--report=r.xml', '--report', 'r.html', '--events', 'events'];
  const { code, stderr } = await cli(args, { cwd, env: ONLY_PATH });
  assert.equal(code, 0, stderr);
  assert.match(readFileSync(join(cwd, 'r.json'), 'utf8'), /^\{\n {2}"version": 1,/);
  assert.match(readFileSync(join(cwd, 'r.xml'), 'utf8'), /^<\?xml .*\n<testsuites /);
  assert.match(readFileSync(join(cwd, 'r.html'), 'utf8'), /^<!doctype html>/i);
  const shown = ['runs', 'show', '--last', '--report', 'one.html', '--report', 'two.html'];
  assert.equal((await cli(['run', 'w'], { cwd, env: { ...ONLY_PATH, CLI_NO_JOURNAL: '' } })).code, 0);
  assert.equal((await cli(shown, { cwd, env: ONLY_PATH })).code, 0);
  assert.deepEqual([existsSync(join(cwd, 'one.html')), existsSync(join(cwd, 'two.html'))], [true, true]);
});

for (const [paths, message] of [
  [['r.json', '-'], "'--report' needs a file: standard output holds the result"],
  [['r.json', 'no/r.xml'], 'cannot write the report no/r.xml: its directory does not exist'],
] as const) {
  test(`a run with the reports ${paths.join(' and ')} does not start`, async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const flags = paths.flatMap((path) => ['--report', path]);
    const { code, stderr } = await inProcess(t, ['run', 'w', ...flags], { cwd, env: ONLY_PATH });
    assert.deepEqual({ code, stderr: stderr.replaceAll(`${cwd}/`, '') }, { code: 2, stderr: `cli: ${message}\n` });
  });
}

test('the events are not written to any of the reports', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const args = ['run', 'w', '--report', 'r.json', '--report', 'r.xml', '--events', 'r.json'];
  const { code, stderr } = await inProcess(t, args, { cwd, env: ONLY_PATH });
  const message = 'cli: cannot write the events to r.json: it is the report\n';
  assert.deepEqual({ code, stderr: stderr.replaceAll(`${cwd}/`, '') }, { code: 2, stderr: message });
});

/** The end of every usage error of `run`. */
const SEE = "cli: see 'cli run --help'\n";

for (const flag of ['--from', '--until', '--only']) {
  test(`${flag} twice is a usage error`, async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const { code, stdout, stderr } = await inProcess(t, ['run', 'w', flag, 'a', `${flag}=a`], { cwd });
    const message = `cli: flag '${flag}' can be given only once\n${SEE}`;
    assert.deepEqual({ code, stdout, stderr }, { code: 2, stdout: '', stderr: message });
  });
}

test('of another flag with one value the last holds', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const args = ['run', 'w', '--format', 'json', '--format=text', '--file', 'missing.json', '-f', '.cli/workflow.json'];
  const { code, stdout } = await inProcess(t, [...args, '--dry-run'], { cwd });
  assert.equal(code, 0);
  assert.match(stdout, /^workflow w\n/);
});

test('without a command, `--version` and `-V` print the version, as `version` does', async (t) => {
  const cwd = temporaryDirectory(t);
  const expected = { code: 0, signal: null, stdout: `${VERSION}\n`, stderr: '' };
  for (const words of [['--version'], ['-V'], ['version']]) {
    assert.deepEqual(await inProcess(t, words, { cwd }), expected, words.join(' '));
  }
});

const FOREIGN = "cli: 'cli run' has no flag '--version'\n";
for (const [words, message] of [
  [['run', 'w', '--version'], `${FOREIGN}${SEE}`],
  [['-V', 'run', 'w'], `${FOREIGN}${SEE}`],
  [['run', 'w', '--version', '--help'], `${FOREIGN}${SEE}`],
  [['run', 'w', '--version', '1.2'], `${FOREIGN}cli: to set VERSION: VERSION:1.2\n${SEE}`],
  [['run', 'w', '-V', '1.2'], `${FOREIGN}cli: to set VERSION: VERSION:1.2\n${SEE}`],
  [['run', 'w', '--version=1.2'], `cli: flag '--version' takes no value\ncli: to set VERSION: VERSION:1.2\n${SEE}`],
  [['run', 'w', '--version', 'ghp_1234567890abc'], `${FOREIGN}cli: to set VERSION: VERSION:…\n${SEE}`],
  [['run', 'w', '--version', 'TOKEN:x'], `${FOREIGN}cli: to set VERSION: VERSION:…\n${SEE}`],
  [['run', 'w', 'TOKEN:', '--version', 'x'], `${FOREIGN}cli: to set VERSION: VERSION:…\n${SEE}`],
  [
    ['run', 'w', '--VERSION', '1.2'],
    `cli: unknown flag '--VERSION'; flags for the commands of a workflow come after --\ncli: to set VERSION: VERSION:1.2\n${SEE}`,
  ],
  [
    ['w', '--VERSION=ghp_1234567890abc'],
    "cli: unknown flag '--VERSION'; did you mean '--version'?\ncli: to set VERSION: VERSION:…\ncli: see 'cli --help'\n",
  ],
  [['run', 'w', '--API_TOKEN', 'hush'], `cli: unknown flag '***'\n${SEE}`],
  [['run', 'w', '--version', '--', 'x'], `${FOREIGN}${SEE}`],
  [['list', '--version'], "cli: 'cli list' has no flag '--version'\ncli: see 'cli list --help'\n"],
  [['version', '--version'], "cli: 'cli version' has no flag '--version'\ncli: see 'cli --help'\n"],
  [['help', '-V'], "cli: 'cli help' has no flag '--version'\ncli: see 'cli --help'\n"],
] as const) {
  test(`\`${words.join(' ')}\` is a usage error`, async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const { code, stdout, stderr } = await inProcess(t, words, { cwd });
    assert.deepEqual({ code, stdout, stderr }, { code: 2, stdout: '', stderr: message });
  });
}
