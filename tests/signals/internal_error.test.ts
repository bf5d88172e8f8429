import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bench, hold, runDetached, step, type Bench, type Running, SETSID } from '../support/processes/bench.ts';
import { commandWith } from '../support/cli.ts';

const HOOK = 'echo hook >>log';
const LATER = 'echo later >>log';

/** Programs that cause an error in cli while the first step runs, loaded before cli. */
const BUGS = {
  'in a callback': `
    const look = setInterval(() => {
      if (!isReady()) return;
      clearInterval(look);
      throw bug();
    }, 10);`,
  'in an unhandled promise': `
    const look = setInterval(() => {
      if (!isReady()) return;
      clearInterval(look);
      Promise.reject(bug());
    }, 10);`,
  'in a signal handler': `
    const { readdirSync } = files;
    const look = setInterval(() => {
      if (!isReady()) return;
      clearInterval(look);
      process.kill(process.pid, 'SIGTERM');
    }, 10);
    files.readdirSync = (directory, ...more) => {
      if (directory !== '/proc') return readdirSync(directory, ...more);
      files.readdirSync = readdirSync;
      syncBuiltinESMExports();
      throw bug();
    };
    syncBuiltinESMExports();`,
};

/** Runs a workflow whose first step never ends by itself, with an error in cli. */
function runWithBug(subject: Bench, bug: string, args: readonly string[]): Running {
  const program = `
    import files from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const isReady = () => {
      const log = files.existsSync('log') ? files.readFileSync('log', 'utf8') : '';
      return ['a', 'daemon'].every((name) => log.includes(name + ' ready\\n'));
    };
    const bug = () => new TypeError('something is not a function\\nand a second line');
    ${bug}`;
  return runDetached(subject, args, commandWith(subject.cwd, program));
}

const STEP = "cli: step 'step_1' of workflow 'x'\n";
const LINE = 'cli: internal error: something is not a function\n';

describe('an internal error', { concurrency: 3 }, () => {
  const command = `${SETSID} ${hold('daemon')} &\n${step('a', 'ignores')}`;
  const file = { error: HOOK, workflows: { x: { steps: [command, LATER] } } };

  for (const [place, bug] of Object.entries(BUGS)) {
    test(`an internal error ${place} terminates the processes of the step, and is reported in one line`, async (t) => {
      const subject = bench(t, file);
      const finished = await runWithBug(subject, bug, ['workflow', 'run', 'x']).ended;
      assert.deepEqual(finished, { code: 70, signal: null, stdout: '', stderr: STEP + LINE });
      assert.deepEqual(subject.survivors(), []);
      assert.deepEqual(subject.log().toSorted(), ['a ready', 'daemon ready']);
    });
  }

  test('an internal error is reported with its stack by --debug', async (t) => {
    const subject = bench(t, file);
    const args = ['--debug', 'workflow', 'run', 'x'];
    const bug = BUGS['in a callback'];
    const { code, signal, stdout, stderr } = await runWithBug(subject, bug, args).ended;
    assert.deepEqual({ code, signal, stdout }, { code: 70, signal: null, stdout: '' });
    const [, stack = ''] = stderr.split(LINE);
    const [first, second, third] = stack.split('\n');
    assert.equal(first, 'TypeError: something is not a function');
    assert.equal(second, 'and a second line');
    assert.match(third ?? '', /^    at .*\(.*first\.mjs:\d+:\d+\)$/);
    assert.deepEqual(subject.survivors(), []);
  });
});
