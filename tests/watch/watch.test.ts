import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import * as v from 'valibot';
import { COMMAND_LINE, workflowDirectory } from '../support/cli.ts';
import { inProcess } from '../support/in_process.ts';
import { needs } from '../support/needs.ts';
import {
  bench,
  FAMILY,
  FAMILY_READY,
  runDetached,
  waitFor,
  type Bench,
  type Running,
} from '../support/processes/bench.ts';
import { LINUX } from '../support/processes/shell.ts';
import { CTRL_C, terminal } from '../support/processes/terminal.ts';
import { until } from '../support/until.ts';
import { ci } from '../support/workflow.ts';

const SHOW = 'echo "saw $(cat src/a)" >>log';

/** A watcher of the directory `src`, which contains the file `a`. */
function watching(
  t: TestContext,
  file: object,
  words: readonly string[] = [],
): Readonly<{ subject: Bench; running: Running; write: (name: string, text: string) => void }> {
  const subject = bench(t, file);
  const write = (name: string, text: string): void => writeFileSync(join(subject.cwd, name), text);
  for (const name of ['src', 'src/node_modules', 'src/.git', 'src/.cli/runs']) {
    mkdirSync(join(subject.cwd, name), { recursive: true });
  }
  write('src/a', 'one');
  const running = runDetached(subject, ['workflow', 'run', 'ci', '--watch', 'src', ...words]);
  return { subject, running, write };
}

/** Waits until the watcher has reported a number of times that it is waiting. */
function waits({ cwd }: Bench, times: number): Promise<void> {
  const stderr = (): string => readFileSync(join(cwd, 'err.txt'), 'utf8');
  return until(() => stderr().split('cli: waiting for changes in src\n').length === times + 1, stderr);
}

/** The text of an included file. */
function included(command: string): string {
  return JSON.stringify({ dotenv: 'lib.env', workflows: { print: { steps: [command] } } });
}

/** Changes files while the watcher is suspended, so that it receives all changes at the same time. */
function simultaneously({ pid }: Running, change: () => void): void {
  process.kill(pid, 'SIGSTOP');
  change();
  process.kill(pid, 'SIGCONT');
}

async function stop({ pid, ended }: Running): Promise<string[]> {
  process.kill(pid, 'SIGTERM');
  const { code, signal, stdout } = await ended;
  assert.deepEqual([code, signal], [null, 'SIGTERM']);
  return stdout.split('\n').slice(0, -1);
}

describe('run --watch', { concurrency: 2, ...LINUX }, () => {
  for (const [words, message] of [
    [['word'], "parameter 1 ('word') is not of the form KEY:VALUE\ncli: usage: cli run ci"],
    [['--from', 'a', '--only', 'b'], "flag '--only' cannot be used with '--from' or '--until'"],
    [['--report', '-'], "'--report' needs a file: standard output holds the result"],
    [['--events', 'fd:1'], "'--events' takes a descriptor from fd:3 to fd:15"],
  ] as const) {
    test(`the usage error ${words.join(' ')} ends the watcher, because no change can mend it`, async (t) => {
      const { running } = watching(t, ci([SHOW]), words);
      const { code, signal, stdout, stderr } = await running.ended;
      assert.deepEqual(
        { code, signal, stdout, stderr },
        { code: 2, signal: null, stdout: '', stderr: `cli: ${message}\n` },
      );
    });
  }

  test('simultaneous changes cause one run, and each run prints a document', async (t) => {
    const { subject, running, write } = watching(t, ci([SHOW]));
    await waits(subject, 1);
    simultaneously(running, () => {
      write('src/a', 'tw');
      write('src/a', 'two');
      write('src/b', 'new');
    });
    await waits(subject, 2);
    simultaneously(running, () => {
      // Editors replace a file in this way.
      write('src/a~', 'three');
      renameSync(join(subject.cwd, 'src/a~'), join(subject.cwd, 'src/a'));
    });
    await waits(subject, 3);
    rmSync(join(subject.cwd, 'src/b'));
    await waits(subject, 4);
    const documents = await stop(running);
    assert.deepEqual(subject.log(), ['saw one', 'saw two', 'saw three', 'saw three']);
    const step = { name: 'step_1', command: SHOW, exit_code: 0 };
    assert.deepEqual(new Set(documents), new Set([JSON.stringify({ workflow: 'ci', steps: [step], success: true })]));
    assert.equal(documents.length, 4);
  });

  test('node_modules, .git, recorded runs and the files written by a run are ignored', async (t) => {
    const { subject, running, write } = watching(t, ci([SHOW]), ['--report', 'src/report.json']);
    await waits(subject, 1);
    for (const name of ['node_modules/x', '.git/x', '.cli/runs/x']) write(`src/${name}`, 'changed');
    write('src/report.json', 'changed');
    write('src/a', 'two');
    await waits(subject, 2);
    await stop(running);
    assert.deepEqual(subject.log(), ['saw one', 'saw two']);
    const stderr = readFileSync(join(subject.cwd, 'err.txt'), 'utf8');
    assert.deepEqual(stderr.match(/^cli: changed: .*$/gm), ['cli: changed: src/a']);
  });

  test('a link in a watched directory is not followed to another one, which may be the whole disk', async (t) => {
    const { subject, running, write } = watching(t, ci([SHOW]));
    mkdirSync(join(subject.cwd, 'outside'));
    await waits(subject, 1);
    simultaneously(running, () => {
      symlinkSync('../outside', join(subject.cwd, 'src/link'));
      write('src/a', 'two');
    });
    await waits(subject, 2);
    write('outside/x', 'changed');
    write('src/a', 'three');
    await waits(subject, 3);
    await stop(running);
    const stderr = readFileSync(join(subject.cwd, 'err.txt'), 'utf8');
    const seen = (stderr.match(/^cli: changed: .*$/gm) ?? []).flatMap((line) => line.slice(14).split(', '));
    assert.deepEqual(seen.filter((path) => path !== 'src/link').toSorted(), ['src/a', 'src/a']);
  });

  test('the next change interrupts a run with all its processes, and its hooks run', async (t) => {
    const file = { finally: 'echo finally >>log', ...ci([`test -e src/stop && exit 0\n${FAMILY}\nwait`]) };
    const { subject, running, write } = watching(t, file);
    await subject.logged(...FAMILY_READY);
    write('src/stop', '');
    await waits(subject, 1);
    assert.deepEqual(subject.survivors(), []);
    assert.deepEqual(
      subject.log().filter((line) => line === 'finally'),
      ['finally', 'finally'],
    );
    const [first = '', second = ''] = await stop(running);
    assert.deepEqual([JSON.parse(first).interrupted, JSON.parse(first).success], ['SIGTERM', false]);
    assert.deepEqual(JSON.parse(second).success, true);
  });

  test('the workflow file and its dotenv files are read again, even after an error in them', async (t) => {
    const { subject, running, write } = watching(t, { dotenv: '.env', ...ci(['echo "$A" >>log']) });
    await waits(subject, 1);
    write('.env', 'A=one\n');
    await waits(subject, 2);
    write('.cli/workflow.json', '{');
    await waits(subject, 3);
    write('.cli/next.json', JSON.stringify(ci(['echo changed >>log'])));
    renameSync(join(subject.cwd, '.cli/next.json'), join(subject.cwd, '.cli/workflow.json'));
    await waits(subject, 4);
    await stop(running);
    assert.deepEqual(subject.log(), ['', 'one', 'changed']);
  });

  test('included files and their dotenv files are read again', async (t) => {
    const { subject, running, write } = watching(t, {
      include: { lib: 'lib.json' },
      ...ci([{ workflow: 'lib:print' }]),
    });
    await waits(subject, 1);
    write('.cli/lib.json', included('echo "one $A" >>log'));
    await waits(subject, 2);
    write('lib.env', 'A=dotenv\n');
    await waits(subject, 3);
    write('.cli/lib.json', included('echo "two $A" >>log'));
    await waits(subject, 4);
    await stop(running);
    assert.deepEqual(subject.log(), ['one ', 'one dotenv', 'two dotenv']);
  });

  test('no confirmation is requested: a step with `confirm` requires --yes', async (t) => {
    const { subject, running } = watching(t, ci([{ run: 'echo ran >>log', confirm: 'Run?' }]));
    await waits(subject, 1);
    await stop(running);
    const other = watching(t, ci([{ run: 'echo ran >>log', confirm: 'Run?' }]), ['--yes']);
    await waits(other.subject, 1);
    await stop(other.running);
    assert.deepEqual([subject.log(), other.subject.log()], [[], ['ran']]);
  });

  test('a signal is forwarded to the run, and the watcher terminates by it after the hooks', async (t) => {
    const file = { error: 'echo error >>log', ...ci(['echo ready >>log; sleep 60']) };
    const { subject, running } = watching(t, file);
    await subject.logged('ready');
    const [document = ''] = await stop(running);
    assert.deepEqual([subject.log(), JSON.parse(document).interrupted], [['ready', 'error'], 'SIGTERM']);
  });

  test('a watcher that is killed leaves its run, which continues to its end and is not repeated', async (t) => {
    const file = { finally: 'echo finally >>log', ...ci([`echo ready >>log; ${waitFor('go')}; echo step >>log`]) };
    const { subject, running, write } = watching(t, file);
    await subject.logged('ready');
    process.kill(running.pid, 'SIGKILL');
    assert.equal((await running.ended).signal, 'SIGKILL');
    write('src/a', 'two');
    write('log', 'ready\ngo\n');
    await until(
      () => subject.document() !== undefined,
      () => 'the document',
    );
    assert.deepEqual(subject.log(), ['ready', 'go', 'step', 'finally']);
    assert.equal(v.parse(v.looseObject({ success: v.boolean() }), subject.document()).success, true);
  });
});

test('Ctrl-C ends a watched run once, and the watcher', { ...LINUX, ...needs('python3') }, async (t) => {
  const subject = bench(t, {
    error: 'echo error >>log',
    ...ci(["trap 'echo INT >>log; exit 3' INT; echo ready >>log; sleep 60 & wait"]),
  });
  const shown = terminal(t, subject.cwd, 'bash', ['-c', `exec ${COMMAND_LINE} run ci --watch .cli`]);
  await subject.logged('ready');
  shown.type(CTRL_C);
  assert.deepEqual(await shown.ended, { code: null, signal: 'SIGINT' });
  assert.deepEqual(subject.log(), ['ready', 'INT', 'error']);
});

test('run --watch rejects a missing path, and standard input', async (t) => {
  const cwd = workflowDirectory(t, ci(['touch ran']));
  for (const [words, problem] of [
    [['--watch', 'nothing', '--watch', '.'], 'cannot watch nothing: it does not exist'],
    [['--watch', '.', '--file', '-'], "'--watch' needs a file, which it can read again"],
  ] as const) {
    const refused = { code: 2, signal: null, stdout: '', stderr: `cli: ${problem}\n` };
    assert.deepEqual(await inProcess(t, ['run', 'ci', ...words], { cwd }), refused);
  }
});
