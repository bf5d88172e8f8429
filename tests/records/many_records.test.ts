/* Directories with many records, own and foreign ones. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandWith, finish as ended } from '../support/cli.ts';
import { finish, header, lines, writeOwnRun, writeSession } from '../support/runs/journal.ts';
import { project } from '../support/runs/recorded_run.ts';

/** The id of a run; `minute` distinguishes the tests of this file, whose entries are in one directory. */
function id(minute: number, number: number): string {
  return `20260101-00${String(minute).padStart(2, '0')}00-${String(number).padStart(5, '0')}`;
}

function recordedIn(runs: string): readonly string[] {
  return readdirSync(runs)
    .filter((name) => /^\d/.test(name))
    .toSorted();
}

test("a run removes at most 20 of this user's oldest records beyond 100", async (t) => {
  const { cwd, cli } = project(t, ['true']);
  const runs = join(cwd, '.cli/runs');
  const ids = Array.from({ length: 130 }, (_, index) => id(1, index));
  for (const run of ids.slice(1)) writeOwnRun(runs, run, {}, finish());
  // Its process may still be running on another machine.
  writeOwnRun(runs, id(1, 0), { host: 'elsewhere' });
  await cli('run ci');
  assert.deepEqual(recordedIn(runs).slice(0, -1), [id(1, 0), ...ids.slice(21)]);
  await cli('run ci');
  // The run that may be running counts as one of the 100.
  assert.deepEqual(recordedIn(runs).slice(0, -2), [id(1, 0), ...ids.slice(32)]);
});

test('foreign records are neither counted nor removed by a run, and runs prune removes them', async (t) => {
  const { cwd, cli } = project(t, ['true']);
  const runs = join(cwd, '.cli/runs');
  const planted = Array.from({ length: 110 }, (_, index) => id(2, index));
  for (const run of planted) writeSession(runs, run, 'session-1.ndjson', lines(header({ run }), finish()));
  await cli('run ci');
  assert.equal(recordedIn(runs).length, 111);
  assert.equal(JSON.parse((await cli('runs prune --keep 100')).stdout).removed.length, 11);
  assert.equal(recordedIn(runs).length, 100);
  await cli('run ci', { CLI_TRUST_RECORDS: '1' });
  assert.equal(recordedIn(runs).length, 100);
});

test('a run among 10,000 records opens at most 100 of them, and --last one', async (t) => {
  const { cwd } = project(t, ['exit 1']);
  const runs = join(cwd, '.cli/runs');
  for (let index = 0; index < 10_000; index += 1) {
    const run = id(3, index);
    if (index % 4 === 0) writeOwnRun(runs, run, {}, finish());
    else writeSession(runs, run, 'session-1.ndjson', lines(header({ run }), finish()));
  }
  // Reports the number of records that are opened, at the exit of the process.
  const program = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { openSync, readdirSync } = fs;
    let opened = new Set();
    const count = (path) => /runs\\/\\d/.test(path) && opened.add(/runs\\/(\\d[^/]*)/.exec(path)[1]);
    fs.openSync = (path, ...rest) => (count(String(path)), openSync(path, ...rest));
    fs.readdirSync = (path, ...rest) => (count(String(path)), readdirSync(path, ...rest));
    syncBuiltinESMExports();
    process.on('exit', () => fs.writeSync(2, 'opened ' + opened.size + '\\n'));`;
  const [runtime = '', ...first] = commandWith(cwd, program);
  const env = { CLI_NO_JOURNAL: undefined };
  const opened = async (...words: readonly string[]): Promise<number> => {
    const { stderr } = await ended(runtime, [...first, ...words], { cwd, env });
    return Number(/^opened (\d+)$/m.exec(stderr)?.[1]);
  };
  // The new run, and those that it removes.
  assert.ok((await opened('run', 'ci')) <= 100);
  assert.equal(recordedIn(runs).length, 10_000 - 20 + 1);
  assert.equal(await opened('runs', 'show', '--last'), 1);
});
