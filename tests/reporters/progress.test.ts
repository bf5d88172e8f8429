import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cliWithAnnouncements, COMMAND_LINE, workflowDirectory } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { again, linesOf, screenOf, screenOfRun, timeless } from '../support/processes/screen.ts';
import { CTRL_C, terminal } from '../support/processes/terminal.ts';

const FILE = {
  before_all: 'echo setting up',
  error: 'echo cleaning up',
  workflows: {
    release: {
      steps: [
        { workflow: 'preflight' },
        { name: 'build', run: 'printf "%s\\n" building "without a prefix"' },
        { name: 'publish', if: 'PUBLISH', run: 'exit 1' },
        { workflow: 'preflight', if: '[ -n "$TWICE" ]' },
        { name: 'smoke tests', workflow: 'preflight', if: 'SMOKE' },
        { name: 'tag', run: '[ "$TAG" = yes ] || exit 3' },
        { name: 'last', run: 'true' },
      ],
    },
    preflight: { private: true, steps: [{ name: 'clean', run: 'true' }, 'true'] },
  },
};

const FAILED = [
  "▸ hook 'before_all'",
  'setting up',
  "✓ hook 'before_all' succeeded <time>",
  '▸ 1/10 clean · preflight',
  '✓ clean <time>',
  '▸ 2/10 true · preflight',
  '✓ true <time>',
  '▸ 3/10 build · release',
  'building',
  'without a prefix',
  '✓ build <time>',
  '– publish: PUBLISH is not set',
  '– preflight (2 steps): condition failed: [ -n "$TWICE" ]',
  '– smoke tests (2 steps): SMOKE is not set',
  '▸ 9/10 tag · release',
  '✗ tag failed with exit code 3, <time>',
  '  at .cli/workflow.json:1:348: [ "$TAG" = yes ] || exit 3',
  '  not set: TAG',
  '  for details, add --debug; for the plan, --dry-run',
  "▸ hook 'error'",
  'cleaning up',
  "✓ hook 'error' succeeded <time>",
  '',
  '✗ release failed: 4 steps ran, 5 skipped, 1 not reached, <time>',
  '  failed   tag: exit code 3, .cli/workflow.json:1:348',
  '  skipped  publish: PUBLISH is not set',
  '  skipped  preflight: condition failed: [ -n "$TWICE" ]',
  '  skipped  smoke tests: SMOKE is not set',
];

/** Removes the slowest steps, which vary. */
const withoutSlowest = (lines: readonly string[]): string[] => lines.filter((line) => !/^ {2}slowest /.test(line));

describe('progress', { concurrency: 3, ...needs('python3') }, () => {
  test('at a terminal a run shows its progress, the result of each step, skipped steps, and a summary', async (t) => {
    const { lines } = await screenOfRun(t, FILE, 'release', { NO_COLOR: '1' });
    assert.deepEqual(withoutSlowest(lines), [...FAILED, again('release')]);
    assert.match(lines.at(-2) ?? '', /^ {2}slowest {2}\S+ <time>, \S+ <time>, \S+ <time>$/);
  });

  test('progress is coloured at a terminal', async (t) => {
    const file = { workflows: { w: { steps: [{ name: 'good', run: 'true' }, { if: 'X', run: 'true' }, 'exit 3'] } } };
    const { lines } = await screenOfRun(t, file, 'w');
    assert.deepEqual(lines, [
      '▸ 1/3 \x1b[1mgood\x1b[0m · w',
      '\x1b[32m✓\x1b[0m good \x1b[2m<time>\x1b[0m',
      '\x1b[2m–\x1b[0m \x1b[2mtrue: X is not set\x1b[0m',
      '▸ 3/3 \x1b[1mexit 3\x1b[0m · w',
      '\x1b[31m✗\x1b[0m \x1b[1mexit 3\x1b[0m \x1b[31mfailed with exit code 3\x1b[0m, \x1b[2m<time>\x1b[0m',
      '  at .cli/workflow.json:1:82: exit 3',
      '  for details, add --debug; for the plan, --dry-run',
      '',
      '\x1b[31m✗\x1b[0m \x1b[1mw\x1b[0m \x1b[31mfailed\x1b[0m: 2 steps ran, 1 skipped, <time>',
      '  failed   exit 3: exit code 3, .cli/workflow.json:1:82',
      '  skipped  true: X is not set',
      lines.at(-2),
      again('w'),
    ]);
  });

  test('after success the summary is printed, and the document is the same as without a terminal', async (t) => {
    const { lines, document } = await screenOfRun(t, FILE, 'release TAG:yes SMOKE:1', { NO_COLOR: '1' });
    assert.deepEqual(withoutSlowest(lines).slice(-9), [
      '✓ true (smoke tests) <time>',
      '▸ 9/10 tag · release',
      '✓ tag <time>',
      '▸ 10/10 last · release',
      '✓ last <time>',
      '',
      '✓ release succeeded: 7 steps ran, 3 skipped, <time>',
      '  skipped  publish: PUBLISH is not set',
      '  skipped  preflight: condition failed: [ -n "$TWICE" ]',
    ]);
    const args = ['workflow', 'run', 'release', 'TAG:yes', 'SMOKE:1'];
    const { stdout } = await cliWithAnnouncements(args, { cwd: workflowDirectory(t, FILE) });
    assert.deepEqual(document, JSON.parse(stdout));
  });

  const small = { workflows: { w: { steps: ['echo out', { if: 'X', run: 'true' }, 'exit 3'] } } };
  const PLAIN = [
    "cli: step 'step_1' of workflow 'w'",
    'out',
    "cli: step 'step_1' of workflow 'w' succeeded, <time>",
    "cli: skipped step 'step_2' of workflow 'w': X is not set",
    "cli: step 'step_3' of workflow 'w'",
    "cli: step 'step_3' of workflow 'w' failed with exit code 3, <time>",
    'cli:   at .cli/workflow.json:1:64: exit 3',
    'cli:   for details, add --debug; for the plan, --dry-run',
    "cli: workflow 'w' failed: 2 steps ran, 1 skipped, <time>",
  ];

  for (const [name, value] of [
    ['TERM', 'dumb'],
    ['CI', 'true'],
  ] as const) {
    test(`at a terminal with ${name}=${value} the lines are plain`, async (t) => {
      assert.deepEqual((await screenOfRun(t, small, 'w', { [name]: value })).lines, [...PLAIN, again('w')]);
    });
  }

  test('if standard error is not a terminal the lines are plain, with a result of each step and a summary', async (t) => {
    const { stderr } = await cliWithAnnouncements(['workflow', 'run', 'w'], { cwd: workflowDirectory(t, small) });
    assert.deepEqual(stderr.trimEnd().split('\n'), PLAIN);
  });

  test('FORCE_COLOR=1 shows coloured progress without a terminal, and FORCE_COLOR=0 removes the colours at one', async (t) => {
    const env = { FORCE_COLOR: '1', NO_COLOR: '1', CI: 'true', TERM: 'dumb' };
    const forced = await cliWithAnnouncements(['workflow', 'run', 'w'], { cwd: workflowDirectory(t, small), env });
    assert.equal(timeless(forced.stderr).split('\n')[0], '▸ 1/3 \x1b[1mecho out\x1b[0m · w');
    assert.ok(forced.stderr.includes('\x1b[31m✗\x1b[0m \x1b[1mw\x1b[0m'));
    const { lines } = await screenOfRun(t, small, 'w', { FORCE_COLOR: '0' });
    assert.equal(lines[0], '▸ 1/3 echo out · w');
  });

  test('the Linux console, which lacks the symbols, receives ASCII', async (t) => {
    const { lines } = await screenOfRun(t, small, 'w', { TERM: 'linux', NO_COLOR: '1' });
    assert.deepEqual(lines.slice(0, -2), [
      'cli: > 1/3 echo out - w',
      'out',
      'cli: ok echo out <time>',
      'cli: - true: X is not set',
      'cli: > 3/3 exit 3 - w',
      'cli: x exit 3 failed with exit code 3, <time>',
      'cli:   at .cli/workflow.json:1:64: exit 3',
      'cli:   for details, add --debug; for the plan, --dry-run',
      '',
      'cli: x w failed: 2 steps ran, 1 skipped, <time>',
      'cli:   failed   exit 3: exit code 3, .cli/workflow.json:1:64',
      'cli:   skipped  true: X is not set',
    ]);
  });

  test('--quiet prints only the output of steps, and errors', async (t) => {
    const file = { env: { P: '$HOME' }, ...small };
    const quiet = await screenOfRun(t, file, 'w UNUSED:1 --quiet', { NO_COLOR: '1' });
    assert.deepEqual(quiet.lines, [
      'out',
      '✗ exit 3 failed with exit code 3, <time>',
      '  at .cli/workflow.json:1:84: exit 3',
      '  for details, add --debug; for the plan, --dry-run',
      again('w UNUSED:1 --quiet'),
    ]);
    const { lines } = await screenOfRun(t, file, 'w --dry-run --quiet');
    assert.deepEqual(lines, ['']);
  });

  test('--debug keeps the style of the terminal, and adds its lines below headings and above results', async (t) => {
    const cwd = workflowDirectory(t, small);
    const lines = await screenOf(t, cwd, 90, 'workflow run w --debug >/dev/null', { NO_COLOR: '1' });
    assert.deepEqual(withoutSlowest(lines.slice(lines.findIndex((line) => line.startsWith('▸')))), [
      '▸ 1/3 echo out · w',
      "debug: step 'step_1' of workflow 'w' gets no variables of the file",
      'out',
      "debug: step 'step_1' of workflow 'w' ended with exit code 0 after <time>",
      '✓ echo out <time>',
      '– true: X is not set',
      '▸ 3/3 exit 3 · w',
      "debug: step 'step_3' of workflow 'w' gets no variables of the file",
      "debug: step 'step_3' of workflow 'w' ended with exit code 3 after <time>",
      '✗ exit 3 failed with exit code 3, <time>',
      '  at .cli/workflow.json:1:64: exit 3',
      '',
      '✗ w failed: 2 steps ran, 1 skipped, <time>',
      '  failed   exit 3: exit code 3, .cli/workflow.json:1:64',
      '  skipped  true: X is not set',
      again('w --debug'),
      'ended with 1',
    ]);
  });

  test('after Ctrl-C a summary is printed, without hints for the interrupted step', async (t) => {
    const cwd = workflowDirectory(t, {
      workflows: { w: { steps: [{ name: 'wait', run: 'echo ready; exec sleep 60' }, 'true'] } },
    });
    const command = `exec ${COMMAND_LINE} workflow run w >out.json`;
    const env = { TERM: 'xterm', NO_COLOR: '1' };
    const screen = terminal(t, cwd, 'bash', ['-c', command], env);
    await screen.shows('ready');
    screen.type(CTRL_C);
    assert.deepEqual(await screen.ended, { code: null, signal: 'SIGINT' });
    assert.deepEqual(linesOf(await screen.shows('failed ')), [
      '▸ 1/2 wait · w',
      'ready',
      '^C',
      '✗ wait failed with exit code 130 (terminated by SIGINT), <time>',
      '',
      '✗ w was interrupted by SIGINT: 1 step ran, 1 not reached, <time>',
      '  failed   wait: exit code 130 (terminated by SIGINT), .cli/workflow.json:1:29',
    ]);
  });

  test('200 steps are counted to the end, and a long list of skipped ones is shortened', async (t) => {
    const steps = Array.from({ length: 200 }, (_, index) => ({ if: index % 20 === 0 ? 'X' : 'Y', run: 'true' }));
    const { lines } = await screenOfRun(t, { workflows: { w: { steps } } }, 'w X:1', { NO_COLOR: '1' });
    assert.equal(lines.filter((line) => line.startsWith('– ')).length, 190);
    assert.deepEqual(withoutSlowest(lines).slice(-7), [
      '✓ w succeeded: 10 steps ran, 190 skipped, <time>',
      ...[2, 3, 4, 5, 6].map(() => '  skipped  true: Y is not set'),
      '           and 185 more',
    ]);
  });

  test('a name cannot forge a line of cli, even if the terminal wraps it', async (t) => {
    const name = `a · b ✓ 7/7 ▸ ✗ – \u202e ${'x'.repeat(200)}`;
    const cut = `a \\u00b7 b \\u2713 7/7 \\u25b8 \\u2717 \\u2013 \\u202e ${'x'.repeat(80)} …`;
    const steps = [
      { name, run: ':' },
      { name, if: `: ✓\n: '✓ forged'; false`, run: ':' },
    ];
    const { lines } = await screenOfRun(t, { workflows: { w: { steps } } }, 'w', { NO_COLOR: '1' });
    assert.deepEqual(lines, [
      `▸ 1/2 ${cut} · w`,
      `✓ ${cut} <time>`,
      `– ${cut}: condition failed: : \\u2713 …`,
      '',
      '✓ w succeeded: 1 step ran, 1 skipped, <time>',
      `  skipped  ${cut}: condition failed: : \\u2713 …`,
    ]);
  });
});
