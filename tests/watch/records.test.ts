import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { directoryJournal } from '../../src/records/journal/directory/directory_journal.ts';
import { runState } from '../../src/records/journal/journal.ts';
import { COMMAND } from '../support/cli.ts';
import { bench, runDetached } from '../support/processes/bench.ts';
import { LINUX } from '../support/processes/shell.ts';
import { TRUSTED } from '../support/runs/journal.ts';
import { until } from '../support/until.ts';
import { ci } from '../support/workflow.ts';

test("of a watcher's runs, the records of the last one and of the last failed one remain", LINUX, async (t) => {
  const subject = bench(t, ci(['read -r word <src/a; [ $word != die ] || kill -9 $PPID; [ $word != bad ]']));
  const write = (word: string): void => writeFileSync(join(subject.cwd, 'src/a'), word);
  mkdirSync(join(subject.cwd, 'src'));
  const words = ['one\n', 'two\n', 'bad\n', 'die\n', 'three\n', 'four\n'];
  write('one\n');
  const recorded = ['env', '-u', 'CLI_NO_JOURNAL', ...COMMAND];
  const { pid, ended } = runDetached(subject, ['run', 'ci', '--watch', 'src'], recorded);
  const journal = directoryJournal(join(subject.cwd, '.cli/runs'), TRUSTED);
  const states: string[] = [];
  for (const [index, word] of words.entries()) {
    if (index > 0) write(word);
    await until(
      () => subject.read('err.txt').split('cli: waiting for changes in src\n').length === index + 2,
      () => subject.read('err.txt'),
    );
    const runs = journal.runs().flatMap((id) => journal.read(id) ?? []);
    states.push(runs.map(runState).join());
  }
  process.kill(pid, 'SIGTERM');
  await ended;
  const after = ['failed', 'crashed', 'crashed,succeeded', 'crashed,succeeded'];
  assert.deepEqual(states, ['succeeded', 'succeeded', ...after]);
});
