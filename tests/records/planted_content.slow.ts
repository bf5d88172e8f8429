/* Records with texts, sizes and names that their readers must survive. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { LINUX } from '../support/processes/shell.ts';
import { end, finish, header, lines, print, RUN, start, writeSession } from '../support/runs/journal.ts';
import { effect, project, type Project } from '../support/runs/recorded_run.ts';

const MIB = 1024 * 1024;

/** A project with a directory of records. */
function withRecords(t: TestContext): Project & { readonly runs: string; readonly head: object } {
  const made = project(t, [effect('a'), effect('b')]);
  const { cwd } = made;
  return { ...made, runs: join(cwd, '.cli/runs'), head: { cwd, file: join(cwd, '.cli/workflow.json') } };
}

function id(number: number): string {
  return `20261122-0000${String(number).padStart(2, '0')}-00000`;
}

test('a long name in one record does not widen the rows of all', async (t) => {
  const { cli, runs } = withRecords(t);
  writeSession(runs, id(0), 'session-1.ndjson', lines(header({ run: id(0), workflow: 'w'.repeat(MIB) })));
  writeSession(runs, id(1), 'session-1.ndjson', lines(header({ run: id(1) })));
  const { stdout } = await cli('runs list --format table');
  const rows = stdout.trimEnd().split('\n');
  const names = rows.map((row) => row.split(/ {2,}/).slice(0, 3));
  assert.deepEqual(names.slice(1), [
    [id(1), 'ci', 'unclear (foreign)'],
    [id(0), 'wwwwwwww…', 'unclear (foreign)'],
  ]);
  assert.ok(rows.every((row) => row.length <= 80));
});

test('a list reads one record at a time, because together they may be larger than the memory', async (t) => {
  const { cli, runs } = withRecords(t);
  const numbers = Array.from({ length: 24 }, (_, index) => index);
  for (const number of numbers) {
    const long = start(1, 'a', { print: print('x'.repeat(8 * MIB)) });
    writeSession(runs, id(number), 'session-1.ndjson', lines(header({ run: id(number) }), long));
  }
  const { code, stdout } = await cli('runs list', { NODE_OPTIONS: '--max-old-space-size=96' });
  assert.deepEqual([code, JSON.parse(stdout).length], [0, numbers.length]);
});

test('the sessions of a foreign record have at most 64 MiB together', async (t) => {
  const { cli, runs } = withRecords(t);
  for (const session of [1, 2]) {
    const long = start(1, 'a', { print: print('x'.repeat(33 * MIB)) });
    writeSession(runs, RUN, `session-${session}.ndjson`, lines(header({ session }), long, finish()));
  }
  const { problem } = JSON.parse((await cli(`runs show ${RUN}`)).stdout);
  const file = join(runs, RUN, 'session-2.ndjson');
  assert.equal(problem, `${file}: the record has more than 64 MiB; the run cannot be resumed`);
});

test('a pipe in place of the header of a session that has not begun is not read', LINUX, async (t) => {
  const { cli, effects, runs, head } = withRecords(t);
  const a = start(1, 'a', { print: print('echo a >> effects') });
  writeSession(runs, RUN, 'session-1.ndjson', lines(header(head), a, end(1), finish({ success: false })));
  writeSession(runs, RUN, 'session-2.ndjson', '');
  execFileSync('mkfifo', [join(runs, RUN, '.session-2.ndjson.1')]);
  const { code, stderr } = await cli(`resume ${RUN} --trust --quiet`);
  assert.deepEqual([code, stderr], [2, `cli: run ${RUN} is still running (process 4711); nothing was started\n`]);
  assert.deepEqual(effects(), []);
});

test('the report of a record is not written to a pipe', LINUX, async (t) => {
  const { cli, cwd, runs } = withRecords(t);
  writeSession(runs, RUN, 'session-1.ndjson', lines(header(), finish()));
  execFileSync('mkfifo', [join(cwd, 'report.html')]);
  const { code, stderr } = await cli(`runs show ${RUN} --report report.html`);
  assert.deepEqual([code, stderr], [2, 'cli: cannot write the report report.html: it is a pipe or a socket\n']);
});

test('markup in any text of a record is text in its report', async (t) => {
  const { cli, cwd, runs } = withRecords(t);
  const text = `<meta http-equiv="refresh" content="0">`;
  const head = header({ tool: text, host: text, workflow: text, params: [['A', text]] });
  const all = [start(1, text, { print: print(text) }), end(1, 1, { why: text }), finish({ success: false })];
  writeSession(runs, RUN, 'session-1.ndjson', lines(head, ...all));
  assert.equal((await cli(`runs show ${RUN} --report report.html`)).code, 0);
  const page = readFileSync(join(cwd, 'report.html'), 'utf8');
  assert.equal(page.includes('<meta http-equiv="refresh"'), false);
  assert.ok(
    page.includes('<dt>Host</dt><dd>&#60;meta http-equiv=&#34;refresh&#34; content=&#34;0&#34;&#62;, cli &#60;'),
  );
});

test('the names of steps in a suggestion are words of a shell', async (t) => {
  const { cli, cwd, edit, runs, head } = withRecords(t);
  const name = 'a; touch pwned $(touch pwned)';
  const began = [header(head), start(1, name, { print: print('true') })];
  edit([{ name, run: 'true' }]);
  writeSession(runs, RUN, 'session-1.ndjson', lines(...began));
  const { stderr } = await cli(`resume ${RUN} --trust --take-over`);
  const [, words = ''] = /if it has finished, add (.*)$/m.exec(stderr) ?? [];
  writeFileSync(join(cwd, 'pasted'), `printf '<%s>' ${words}`);
  assert.equal(execFileSync('bash', ['pasted'], { cwd, encoding: 'utf8' }), `<--done><${name}>`);
});
