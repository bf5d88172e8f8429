import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { IS_STANDALONE, workflowDirectory } from '../support/cli.ts';
import { isAlive } from '../support/processes/processes.ts';
import { executeRun, packedRun } from '../support/remote/run_process.ts';

const NEEDS = IS_STANDALONE ? { skip: 'the executable has no workers' } : {};

const bash = (script: string): object => ({ command: ['bash', '-c', script] });

/** A provider that records its start. */
const gives = (name: string, script = `echo v${name}`): object => bash(`echo ${name} >> starts; ${script}`);

/** The recorded starts, separated by blanks, which are then forgotten. */
function startsIn(cwd: string): string {
  const path = join(cwd, 'starts');
  if (!existsSync(path)) return '';
  const text = readFileSync(path, 'utf8').trim().replaceAll('\n', ' ');
  rmSync(path);
  return text;
}

const FILE = {
  secrets: { A: gives('A'), B: gives('B'), C: gives('C', 'exit 1'), D: gives('D') },
  finally: { run: 'test "$D" = vD', secrets: ['D'] },
  workflows: {
    main: {
      steps: [
        'true',
        {
          name: 'flaky',
          run: 'test "$A" = vA && test -e again || { touch again; exit 1; }',
          secrets: ['A'],
          retry: { max_attempts: 2, delay: '1ms' },
        },
        { name: 'guarded', if: 'test 1', run: 'test "$B" = vB', secrets: ['B'] },
        { name: 'broken', if: 'test 1', run: 'true', secrets: ['C'], allow_failure: true },
        { name: 'last', run: 'test "$A" = vA', secrets: ['A'] },
      ],
    },
  },
};

test('a run on another machine gets the secrets of what is left after each prefix of its records', NEEDS, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const run = await packedRun(t, cwd, ['main']);
  assert.equal(startsIn(cwd), '');
  const whole = await executeRun(cwd, run, {});
  assert.equal(startsIn(cwd), 'A D B C');
  assert.equal(whole.end.code, 0, whole.stderr);
  assert.equal(JSON.parse(whole.document).steps[3].error, "secret 'C': 'bash' failed with exit code 1");
  const left = ['A D B C', 'A D B C', 'A D B C', 'A D B C', 'A D B C', 'A D C', 'A D C', 'A D', 'D', ''];
  assert.equal(whole.records.length, left.length - 1);
  for (const [length, starts] of left.entries()) {
    if (length < 2) rmSync(join(cwd, 'again'));
    const { end, document, stderr } = await executeRun(cwd, run, { records: whole.records.slice(0, length) });
    const about = `after ${length} records: ${stderr}`;
    assert.deepEqual({ end, document }, { end: whole.end, document: whole.document }, about);
    assert.equal(startsIn(cwd), starts, about);
    assert.match(stderr, /^cli: workflow 'main' succeeded: /m, about);
  }
});

test('after a takeover or a resume, a command that refers to an output with a secret fails', NEEDS, async (t) => {
  const cwd = workflowDirectory(t, {
    secrets: { KEY: bash('echo hush-hush') },
    finally: 'echo "finally ${steps.give.TEXT:-none}" >> ran',
    workflows: {
      main: {
        steps: [
          { name: 'give', run: 'echo give >> ran; echo "<$KEY>"', secrets: ['KEY'], outputs: { TEXT: 'text' } },
          { name: 'use', run: 'echo "use ${steps.give.TEXT:-none}" >> ran; test -e fixed' },
        ],
      },
    },
  });
  const run = await packedRun(t, cwd, ['main']);
  const whole = await executeRun(cwd, run, {});
  const ran = (): string => readFileSync(join(cwd, 'ran'), 'utf8');
  assert.equal(ran(), 'give\nuse <hush-hush>\nfinally <hush-hush>\n');
  assert.ok(!JSON.stringify(whole.records).includes('hush'));
  const [first = []] = whole.records;
  const reason = '${steps.give.TEXT:-none} has no value, because a secret output is not recorded';
  for (const given of [{ records: [first] }, { earlier: whole.records }]) {
    const { document, stderr } = await executeRun(cwd, run, given);
    const { steps, finally: hook } = JSON.parse(document);
    const [give, use] = steps;
    assert.deepEqual([give.outputs, use.exit_code, use.error], [{ TEXT: '***' }, 126, reason]);
    assert.equal(hook.exit_code, 126);
    assert.ok(stderr.includes(`cli: hook 'finally' could not be started: ${reason}`), stderr);
    assert.equal(ran(), 'give\nuse <hush-hush>\nfinally <hush-hush>\n');
  }
});

test('a run that cannot get its secrets on another machine does not start there', NEEDS, async (t) => {
  const cwd = workflowDirectory(t, {
    secrets: { KEY: { command: ['cat', 'no-such-file'] }, OTHER: { command: ['no-such-program'] } },
    finally: 'touch ran',
    workflows: { main: { steps: [{ run: 'touch ran', secrets: ['KEY', 'OTHER'] }] } },
  });
  const { end, document, stderr, records } = await executeRun(cwd, await packedRun(t, cwd, ['main']), {});
  assert.deepEqual({ end, document, records }, { end: { code: 2, interrupted: null }, document: '', records: [] });
  assert.equal(
    stderr,
    [
      'cat: no-such-file: No such file or directory',
      "cli: secret 'KEY': 'cat' failed with exit code 1",
      "cli: secret 'OTHER': 'no-such-program' was not found",
      'cli: nothing was started',
      '',
    ].join('\n'),
  );
  assert.ok(!existsSync(join(cwd, 'ran')));
});

test('a signal ends a provider before the first command of a run on another machine', NEEDS, async (t) => {
  const cwd = workflowDirectory(t, {
    secrets: { KEY: bash('sleep 100 & echo $! > pid; echo ready >&2; wait') },
    finally: 'touch ran',
    workflows: { main: { steps: [{ run: 'touch ran', secrets: ['KEY'] }] } },
  });
  const run = await packedRun(t, cwd, ['main']);
  const { end, document, stderr } = await executeRun(cwd, run, { onReady: (signal) => signal('SIGINT') });
  assert.deepEqual({ end, document }, { end: { code: 1, interrupted: 'SIGINT' }, document: '' }, stderr);
  assert.deepEqual([stderr, existsSync(join(cwd, 'ran'))], ['ready\n', false]);
  assert.equal(isAlive(Number(readFileSync(join(cwd, 'pid'), 'utf8'))), false);
});

test('a process that does not know the plan format of its worker refuses the run', NEEDS, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const run = await packedRun(t, cwd, ['main']);
  await assert.rejects(executeRun(cwd, run, { planFormat: 99 }), {
    message:
      'the process of the run ended with 1 before the run: ' +
      'cli: the worker sent a message that cannot be read: does it have another version?\n',
  });
  assert.equal(startsIn(cwd), '');
});

test('an error about an argument of a provider names its place in the file', NEEDS, async (t) => {
  const cwd = workflowDirectory(t, {
    secrets: { KEY: { command: ['echo', '${vars.UNSET_HERE}'] } },
    workflows: { main: { steps: [{ run: 'true', secrets: ['KEY'] }] } },
  });
  const { end, document, stderr } = await executeRun(cwd, await packedRun(t, cwd, ['main']), {});
  assert.deepEqual([end.code, document], [2, '']);
  assert.ok(
    stderr.startsWith(".cli/workflow.json:1:38: error: 'secrets.KEY.command[1]': ${vars.UNSET_HERE}: "),
    stderr,
  );
  assert.ok(stderr.endsWith(`\n      | ${' '.repeat(37)}${'^'.repeat(20)}\n`), stderr);
});
