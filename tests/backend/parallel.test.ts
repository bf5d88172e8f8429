import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { COMMAND_LINE, workflowDirectory } from '../support/cli.ts';
import { quickCli as cli, quickCliWithAnnouncements as cliWithAnnouncements } from '../support/in_process.ts';
import { ci, entry, result, runCi } from '../support/workflow.ts';

const ENDED = 'it was cancelled because another member of its group failed';

type Entry = Readonly<{ name: string; exit_code: number; error: string }>;

/** The output of commands. */
const printed = ({ stderr }: { readonly stderr: string }): string => stderr.replaceAll(/^cli: .*\n/gm, '');

/** Waits until a file exists: a member that waits for another one shows that both run at the same time. */
const until = (file: string): string => `until [ -e ${file} ]; do sleep 0.1; done`;

test('members run at the same time, and the result lists them in the order of the plan', async (t) => {
  const [one, two] = [`${until('b')}; touch a`, `touch b; ${until('a')}`];
  const { document } = await runCi(t, ci([{ parallel: [one, { name: 'two', run: two }] }, 'echo after']));
  const steps = [entry('step_1.1', one), entry('two', two), entry('step_2', 'echo after')];
  assert.deepEqual(document, result(true, steps));
});

test('each line begins with the name of its member, and an unterminated last line is terminated', async (t) => {
  const file = ci([
    { max_parallel: 1, parallel: [{ name: 'lint', run: 'echo one; echo two >&2; printf three' }, 'echo four'] },
  ]);
  assert.equal(printed(await runCi(t, file)), 'lint │ one\nlint │ two\nlint │ three\nstep_1.2 │ four\n');
});

test('members that print parts of lines by turns have whole lines', async (t) => {
  const a = `printf 'one '; touch a1; ${until('b1')}; echo a`;
  const b = `${until('a1')}; printf 'two '; touch b1; sleep 0.2; echo b`;
  const file = ci([{ parallel: [a, b] }]);
  const lines = printed(await runCi(t, file)).split('\n');
  assert.deepEqual(lines.toSorted(), ['', 'step_1.1 │ one a', 'step_1.2 │ two b']);
});

test('lines of cli wait for the end of a long line of a member', async (t) => {
  // More than a pipe and a buffer hold: the tool has begun to print the line. The last member starts after cli has
  // printed the result of the second one.
  const long = `printf %0200000d 0; touch begun; ${until('third')}; echo end`;
  const parallel = [
    { name: 'long', run: long },
    { name: 'quick', run: until('begun') },
    { name: 'third', run: 'touch third' },
  ];
  const cwd = workflowDirectory(t, ci([{ max_parallel: 2, parallel }]));
  const { stderr } = await cliWithAnnouncements(['run', 'ci'], { cwd });
  const lines = stderr.replaceAll(/0{1000,}/g, ({ length }) => `<${length} zeros>`).split('\n');
  const begin = lines.indexOf("cli: step 'quick' of workflow 'ci'") + 1;
  assert.deepEqual(lines.slice(begin, begin + 3), [
    'long │ <200000 zeros>end',
    "cli: step 'quick' of workflow 'ci' succeeded, <time>",
    "cli: step 'third' of workflow 'ci'",
  ]);
});

test('a member has no standard input, and can open /dev/stderr', async (t) => {
  const file = ci([{ parallel: [{ name: 'a', run: 'cat; echo x > /dev/stderr; echo y > /dev/stdout' }] }]);
  assert.equal(printed(await runCi(t, file)), 'a │ x\na │ y\n');
});

test('grouped output is printed as a whole when its member ends', async (t) => {
  const late = `echo a1; touch a; ${until('b')}; sleep 0.1; echo a2`;
  const early = `${until('a')}; echo b1; echo b2; touch b`;
  const ran = await runCi(t, ci([{ output: 'grouped', parallel: [late, early] }]));
  assert.equal(printed(ran), 'b1\nb2\na1\na2\n');
});

test('after a failure the other members finish, waiting members still start, and then the run fails', async (t) => {
  const steps = [{ max_parallel: 1, parallel: ['exit 3', 'echo done'] }, 'echo never'];
  const { document } = await runCi(t, ci(steps, { error: 'echo error' }));
  const error = { command: 'echo error', exit_code: 0 };
  assert.deepEqual(
    document,
    result(false, [entry('step_1.1', 'exit 3', 3), entry('step_1.2', 'echo done')], { error }),
  );
});

test('with fail_fast the first failure terminates the others, whose failures are neither allowed nor retried', async (t) => {
  const graceful = { run: "trap 'exit 0' TERM; touch ready; while :; do sleep 0.1; done", allow_failure: true };
  const repeated = { run: 'sleep 20', retry: { max_attempts: 3, delay: '1ms' } };
  const first = `${until('ready')}; exit 3`;
  const { document } = await runCi(t, ci([{ fail_fast: true, parallel: [first, graceful, repeated] }]));
  assert.deepEqual(
    document,
    result(false, [
      entry('step_1.1', first, 3),
      { ...entry('step_1.2', graceful.run, 0), error: ENDED },
      { ...entry('step_1.3', repeated.run, 143), attempts: 1, error: ENDED },
    ]),
  );
});

/** A step with the output `a.V`. */
const give = (value: string): object => ({ name: 'a', run: `echo '["${value}"]'`, outputs: { V: '$[0]' } });

test('members read the outputs of steps before the group, and later steps the outputs of members', async (t) => {
  const steps = [give('old'), { max_parallel: 1, parallel: [give('new'), 'echo ${steps.a.V}'] }, 'echo ${steps.a.V}'];
  assert.equal(printed(await runCi(t, ci(steps))), '["old"]\na │ ["new"]\nstep_2.2 │ old\nnew\n');
});

test('a condition skips a whole group, and a reference without a value fails every member', async (t) => {
  const parallel = ['echo a', { workflow: 'other' }];
  const steps = [
    { if: 'UNSET', parallel },
    { name: 'skipped', if: 'UNSET', run: 'echo 1', outputs: { V: '$' } },
    { with: { X: '${steps.skipped.V}' }, parallel },
  ];
  const file = { workflows: { ci: { steps }, other: { steps: ['echo b'] } } };
  const { document, stderr } = await runCi(t, file);
  const reason = /^\$\{steps\.skipped\.V\} has no value, because step 'skipped' did not run/;
  assert.doesNotMatch(stderr, /│/);
  const entries = JSON.parse(JSON.stringify(document)).steps;
  assert.deepEqual(
    entries.map(({ name, exit_code: code, error }: Entry) => [name, code, reason.test(error)]),
    [
      ['step_3.1', 126, true],
      ['step_1', 126, true],
    ],
  );
});

test('a condition that does not hold may be the last op of a plan', async (t) => {
  const file = { workflows: { ci: { steps: [{ workflow: 'empty', if: 'UNSET' }] }, empty: { steps: [] } } };
  assert.deepEqual((await runCi(t, file)).document, result(true, []));
});

test('output of a grouped member that cannot be stored is reported as lost', async (t) => {
  const steps = [{ parallel: [{ name: 'long', run: 'seq 1 100000' }], output: 'grouped' }];
  const cwd = workflowDirectory(t, { workflows: { ci: { steps } } });
  // A limit on file sizes fails like a full disk, for the spill file alone.
  const { stdout, status } = spawnSync(
    'bash',
    ['-c', `ulimit -f 64; exec ${COMMAND_LINE} workflow run ci --quiet 2>&1`],
    { cwd, encoding: 'utf8' },
  );
  assert.equal(status, 0);
  const lines = stdout.split('\n');
  assert.equal(lines[0], '1');
  assert.equal(lines.at(-3), 'cli: the rest of the output of this member is lost: EFBIG: file too large');
});

for (const [place, output] of [
  ['pipe', {}],
  ['file', { output: 'grouped' }],
] as const) {
  test(`members fail if no ${place} for their output can be created`, async (t) => {
    const steps = [{ ...output, parallel: ['echo one', { run: 'echo two', allow_failure: true }] }];
    const file = ci(steps, { error: 'echo error' });
    const { document, code, stderr } = await runCi(t, file, [], { env: { TMPDIR: '/nonexistent' } });
    const entries = [
      entry('step_1.1', 'echo one', 126),
      { ...entry('step_1.2', 'echo two', 126), allowed_failure: true },
    ];
    assert.deepEqual(document, result(false, entries, { error: { command: 'echo error', exit_code: 0 } }));
    assert.equal(code, 1);
    const where = 'no directory can be created in /nonexistent: it does not exist; set TMPDIR to another one';
    const reason = `a ${place} for its output could not be created: ${where}`;
    assert.equal(
      stderr,
      [
        "cli: step 'step_1' of workflow 'ci': 2 in parallel",
        `cli: step 'step_1.1' of workflow 'ci' could not be started: ${reason}`,
        `cli: step 'step_1.2' of workflow 'ci' could not be started (allowed): ${reason}`,
        'error',
        '',
      ].join('\n'),
    );
  });
}

test('the output of a grouped member follows the results of its steps, after a line with its name', async (t) => {
  const parallel = [{ name: 'suite', workflow: 'suite' }, 'true', { name: 'last', run: 'echo 3; exit 3' }];
  const steps = [{ output: 'grouped', max_parallel: 1, parallel }];
  const file = { workflows: { ci: { steps }, suite: { steps: ['echo 1', 'echo 2'] } } };
  const { stderr } = await cliWithAnnouncements(['workflow', 'run', 'ci'], { cwd: workflowDirectory(t, file) });
  const lines = stderr.trimEnd().split('\n');
  assert.deepEqual(lines.slice(0, -1), [
    "cli: step 'step_1' of workflow 'ci': 3 in parallel",
    "cli: step 'step_1' of workflow 'suite'",
    "cli: step 'step_1' of workflow 'suite' succeeded, <time>",
    "cli: step 'step_2' of workflow 'suite'",
    "cli: step 'step_2' of workflow 'suite' succeeded, <time>",
    "cli: output of 'suite':",
    '1',
    '2',
    "cli: step 'step_1.2' of workflow 'ci'",
    "cli: step 'step_1.2' of workflow 'ci' succeeded, <time>",
    "cli: step 'last' of workflow 'ci'",
    "cli: step 'last' of workflow 'ci' failed with exit code 3, <time>",
    'cli:   at .cli/workflow.json:1:122: echo 3; exit 3',
    'cli:   for details, add --debug; for the plan, --dry-run',
    "cli: output of 'last':",
    '3',
  ]);
});

/** Workflows that each call the next one in a group, so that the groups are nested. */
function nestedGroups(depth: number): object {
  const calls = Array.from({ length: depth }, (_, index) => {
    return [`w${index}`, { steps: [{ parallel: [{ workflow: `w${index + 1}` }] }] }] as const;
  });
  return { workflows: { ...Object.fromEntries(calls), [`w${depth}`]: { steps: ['echo deep'] } } };
}

test('500 nested groups can be run, shown and drawn', async (t) => {
  const cwd = workflowDirectory(t, nestedGroups(500));
  const ran = await cli(['run', 'w0', '--quiet'], { cwd });
  assert.deepEqual([ran.code, ran.stderr], [0, 'step_1.1 │ deep\n']);
  for (const words of ['run w0 --dry-run', 'graph w0', 'explain w0', 'plan w0', 'validate']) {
    const { code, stderr } = await cli(words.split(' '), { cwd });
    assert.deepEqual([words, code, stderr], [words, 0, '']);
  }
});

test('a workflow that is called only by a member of a group may refer to steps before the group', async (t) => {
  const give = { name: 'give', run: 'echo 1', outputs: { V: 'text' } };
  const inner = { private: true, steps: ['echo ${steps.give.V}'] };
  const file = { workflows: { ci: { steps: [give, { parallel: [{ workflow: 'inner' }] }] }, inner } };
  const { code } = await cli(['workflow', 'validate'], { cwd: workflowDirectory(t, file) });
  assert.equal(code, 0);
});
