/* --output failures: one line for each step, and the last lines of failed ones. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AGENTS } from '../../src/cli/reporters/output/output_mode.ts';
import { COMMAND_LINE, finish } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { terminal } from '../support/processes/terminal.ts';
import { project } from '../support/runs/recorded_run.ts';

const [PASSES, FAILS] = [
  { name: 'passes', run: 'echo "fine $A_TOKEN"' },
  { name: 'fails', run: 'seq 800; echo "with $A_TOKEN"; exit 3' },
];

/** Standard error without the id of a run. */
function lines(stderr: string): string {
  return stderr.replaceAll(/\d{8}-\d{6}-\w{5}/g, 'RUN');
}

/** Lines of output with numbers. */
function numbers(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, index) => `| ${from + index}\n`).join('');
}

/** The place, the command and the log of a failure. */
function details(place: string, command: string, log: string): string {
  return `cli:   at .cli/workflow.json:${place}: ${command}\ncli:   output: .cli/runs/RUN/logs/1-${log}.log\n`;
}

test('one line for each step, and for a failed one its last 40 lines and the path of its log, with secrets masked', async (t) => {
  const allowed = { name: 'allowed', run: 'seq 20; exit 1', allow_failure: true };
  const group = {
    parallel: [
      { name: 'x', run: 'echo x' },
      { name: 'y', run: 'echo y' },
    ],
  };
  const skipped = { if: 'NOTHING', run: 'true' };
  const { cli } = project(t, [PASSES, allowed, skipped, group, FAILS], {
    error: 'echo sorry',
    finally: 'echo no; exit 4',
  });
  const { stderr, code } = await cli('run ci', { CLAUDECODE: '1', CLI_LOGS: undefined, A_TOKEN: 'hush hush' });
  assert.equal(code, 1);
  const text = lines(stderr).replaceAll(/^cli: step '([xy])' .*\n/gm, '');
  const debug = 'cli:   for details, add --debug; for the plan, --dry-run\n';
  const places = [...text.matchAll(/workflow\.json:(\d+:\d+)/g)].map(([, place = '']) => place);
  assert.equal(
    text,
    'cli: the output of failed steps only, because CLAUDECODE is set; for all of it, add --output all\n' +
      "cli: step 'passes' of workflow 'ci' succeeded, <time>\n" +
      "cli: step 'allowed' of workflow 'ci' failed with exit code 1 (allowed), <time>\n" +
      `${details(places[0] ?? '', 'seq 20; exit 1', '2')}${debug}| …\n${numbers(11, 20)}` +
      "cli: step 'fails' of workflow 'ci' failed with exit code 3, <time>\n" +
      `${details(places[1] ?? '', 'seq 800; echo "with $A_TOKEN"; exit 3', '5')}${debug}| …\n${numbers(762, 800)}| with ***\n` +
      "cli: hook 'error' succeeded, <time>\n" +
      "cli: hook 'finally' failed with exit code 4, <time>\n" +
      `${details(places[2] ?? '', 'echo no; exit 4', '7')}| no\n` +
      "cli: workflow 'ci' failed: 5 steps ran, 1 skipped, <time>\ncli: to see why: cli runs show --last\ncli: to continue with fails (finished steps are kept): cli resume --last\n",
  );
});

test('an agent sees at most 60 lines of a failed step with 800; each of three variables chooses the mode', async (t) => {
  const { cli } = project(t, [PASSES, FAILS, 'true']);
  for (const name of ['AI_AGENT', 'GEMINI_CLI', 'CODEX_SANDBOX']) {
    const { stderr } = await cli('run ci', { [name]: 'x', CLI_LOGS: undefined });
    assert.ok(stderr.includes(`because ${name} is set`) && stderr.split('\n').length <= 60, stderr);
  }
});

test('each variable of the table of agents chooses the mode, and no variable that a person sets does', async (t) => {
  const { cli } = project(t, ['true']);
  const chosenBy = async (name: string): Promise<string | undefined> => {
    const { stderr } = await cli('run ci', { [name]: 'x', CLI_LOGS: undefined });
    return / because (\w+) is set/.exec(stderr)?.[1];
  };
  for (const name of AGENTS) assert.equal(await chosenBy(name), name);
  for (const name of ['REPL_ID', 'EDITOR']) assert.equal(await chosenBy(name), undefined);
});

test('everything is printed with --output all, --quiet, --no-logs, in CI, and without a record', async (t) => {
  const { cli, run } = project(t, [FAILS]);
  const shows = async (line: string, env: Readonly<Record<string, string | undefined>>): Promise<string> => {
    const { stderr } = await cli(line, { CLI_LOGS: undefined, CLAUDECODE: '1', ...env });
    return stderr.includes('\n700\n') ? 'all' : stderr.includes('because') ? 'because' : 'failures';
  };
  assert.equal(await shows('run ci --output all', {}), 'all');
  assert.equal(await shows('resume --last --quiet', {}), 'all');
  assert.equal(await shows('resume --last --no-logs', {}), 'all');
  assert.equal(await shows('resume --last', { CI: 'true' }), 'all');
  assert.equal(await shows('resume --last', { CLI_OUTPUT_MODE: 'all' }), 'all');
  assert.equal(await shows('run ci --no-journal --output failures', {}), 'all');
  assert.equal(await shows('resume --last --output failures', { CI: 'true', CLAUDECODE: undefined }), 'failures');
  assert.deepEqual(readdirSync(`${run()}/logs`).toSorted(), ['1-1.log', '2-1.log', '5-1.log', '6-1.log']);
  assert.equal(await shows('resume --last', { CLI_OUTPUT_MODE: 'failures', CI: 'true' }), 'because');
  const wrong = await cli('resume --last', { CLI_OUTPUT_MODE: 'some' });
  assert.deepEqual([wrong.code, wrong.stderr], [2, "cli: CLI_OUTPUT_MODE must be 'all' or 'failures'\n"]);
  assert.equal((await cli('resume --last --output some')).code, 2);
});

/** Whether tests may mount a small disk. */
const CAN_MOUNT = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

test('everything is printed if no record can be written', async (t) => {
  const { cli, cwd } = project(t, [FAILS]);
  writeFileSync(join(cwd, '.cli/runs'), '');
  const { stderr } = await cli('run ci', { CLAUDECODE: '1', CLI_LOGS: undefined, A_TOKEN: 'hush hush' });
  assert.match(
    stderr,
    /^cli: warning: the record of the run cannot be written: .*\ncli: step 'fails' of workflow 'ci'\n1\n2\n/,
  );
  assert.doesNotMatch(stderr, /because|^\|/m);
});

test(
  'what a full disk does not take is printed, with a warning',
  { skip: CAN_MOUNT ? false : 'mounting a disk is not permitted' },
  async (t) => {
    const { cwd } = project(t, ['echo stored', 'seq 100000', 'echo after']);
    mkdirSync(join(cwd, '.cli/runs'));
    const command = `mount -t tmpfs -o size=128k none .cli/runs && exec ${COMMAND_LINE} run ci --output failures`;
    const env = { CLI_NO_JOURNAL: undefined, CLI_LOGS: undefined };
    const { code, stderr } = await finish('unshare', ['-rm', 'sh', '-c', command], { cwd, env });
    assert.equal(code, 0);
    assert.doesNotMatch(stderr, /^stored$/m);
    assert.match(stderr, /\n99999\n100000\ncli: step 'step_2' .*\n(?:cli: .*\n)*after\ncli: /);
    assert.match(stderr, /^cli: warning: the output of steps could not be stored completely in /m);
  },
);

test('a line of cli is printed although a member of a group is in the middle of a long line', async (t) => {
  const long = { name: 'long', run: 'head -c 200000 /dev/zero; until [ -e go ]; do sleep 0.1; done' };
  const short = { name: 'short', run: 'sleep 1; : > go', retry: 2 };
  const { cli } = project(t, [{ parallel: [long, short] }]);
  const { stderr } = await cli('run ci --output failures', { CLI_LOGS: undefined });
  assert.deepEqual(lines(stderr).split('\n').toSorted(), [
    '',
    "cli: step 'long' of workflow 'ci' succeeded, <time>",
    "cli: step 'short' of workflow 'ci' succeeded, <time>",
    "cli: workflow 'ci' succeeded: 2 steps ran, <time>",
  ]);
});

for (const flag of ['--output failures', '--logs']) {
  test(`a question is shown, and is in no log, with ${flag}`, needs('python3'), async (t) => {
    const { cwd, run } = project(t, [{ name: 'deploy', confirm: 'Deploy?', run: 'echo deployed' }]);
    const env = { TERM: 'dumb', CLI_NO_JOURNAL: undefined, CLI_LOGS: undefined, CI: 'false' };
    const shown = terminal(t, cwd, 'bash', ['-c', `exec ${COMMAND_LINE} run ci ${flag}`], env);
    await shown.shows('cli: Deploy? [y/N] ');
    shown.type('y\n');
    assert.deepEqual(await shown.ended, { code: 0, signal: null });
    assert.deepEqual(readdirSync(`${run()}/logs`), ['1-2.log']);
  });
}
