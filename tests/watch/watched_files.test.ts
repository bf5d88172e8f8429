import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { bench, runDetached, type Running } from '../support/processes/bench.ts';
import { LINUX } from '../support/processes/shell.ts';
import { until } from '../support/until.ts';
import { ci } from '../support/workflow.ts';

async function stop({ pid, ended }: Running): Promise<string[]> {
  process.kill(pid, 'SIGTERM');
  return (await ended).stdout.split('\n').slice(0, -1);
}

describe('the files that run --watch watches', { concurrency: 2, ...LINUX }, () => {
  test('the records of runs and steps, generated files and what Git ignores start no run, the workflow file does', async (t) => {
    const run = 'echo made >src/out; echo note >src/a.tmp; echo "saw $(cat src/a)" >>log';
    const subject = bench(t, ci([{ run, sources: ['src/a'], generates: ['src/out'] }]));
    const write = (name: string, text: string): void => writeFileSync(join(subject.cwd, name), text);
    for (const name of ['src', '.git']) mkdirSync(join(subject.cwd, name));
    // No path is as long as the first line.
    write('.gitignore', `${'x'.repeat(40_000)}*\n*.txt\n/log\n/out.json\n`);
    write('src/.gitignore', '*.tmp\n!kept.txt\n');
    write('src/a', 'one');
    const running = runDetached(subject, ['workflow', 'run', 'ci', '--watch', '.']);
    const waiting = (times: number): Promise<void> =>
      until(
        () => subject.read('err.txt').split('cli: waiting for changes in .\n').length === times + 1,
        () => subject.read('err.txt'),
      );
    await waiting(1);
    for (const name of ['src/out', 'src/b.tmp', 'b.txt', '.cli/other', '.cli/state/other', 'src/a']) write(name, 'two');
    await waiting(2);
    for (const name of ['src/kept.txt', 'b.TXT']) write(name, 'two');
    await waiting(3);
    write('.cli/workflow.json', JSON.stringify(ci(['echo changed >>log'])));
    await waiting(4);
    assert.equal((await stop(running)).length, 4);
    assert.deepEqual(subject.log(), ['saw one', 'saw two', 'changed']);
    const changes = subject.read('err.txt').match(/^cli: changed: .*$/gm);
    assert.deepEqual(
      changes,
      ['src/a', 'src/kept.txt, b.TXT', '.cli/workflow.json'].map((path) => `cli: changed: ${path}`),
    );
  });

  test('a file that a step writes interrupts one run, and starts none after three, until another one changes', async (t) => {
    const subject = bench(t, ci(['echo run >>log; date +%N >src/out; sleep 1; echo end >>log']));
    mkdirSync(join(subject.cwd, 'src'));
    writeFileSync(join(subject.cwd, 'src/a'), 'one');
    const running = runDetached(subject, ['workflow', 'run', 'ci', '--watch', 'src']);
    const said = (): string[] => subject.read('err.txt').match(/^cli: (?:changed|waiting|this run).*$/gm) ?? [];
    const [changed, again, settled] = [
      'cli: changed: src/out',
      'cli: this run continues to its end: it was started by a file that has changed again: src/out',
      'cli: waiting for other changes: this changed in 3 runs, one after the other, so a step may write it: src/out',
    ];
    await until(
      () => said().at(-1) === settled,
      () => subject.read('err.txt'),
    );
    writeFileSync(join(subject.cwd, 'src/a'), 'two');
    await until(
      () => said().length > 5 && said().at(-1) === settled,
      () => subject.read('err.txt'),
    );
    await stop(running);
    assert.deepEqual(said(), [changed, again, changed, again, settled, 'cli: changed: src/a', settled]);
    assert.deepEqual(subject.log(), ['run', 'run', 'end', 'run', 'end', 'run', 'end']);
  });
});
