import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { trySystemCall } from '../../src/backend/system/try_system_call.ts';
import { cli, withoutHelp } from '../support/cli.ts';
import { isAlive } from '../support/processes/processes.ts';
import { ask } from '../support/runs/page.ts';
import { printedAddress } from '../support/runs/printed_address.ts';
import { crash, project, startRecorded, waiting, type Project } from '../support/runs/recorded_run.ts';
import { until } from '../support/until.ts';

/** The process of the page of a directory. */
function pageOf(cwd: string): number {
  const pids = readdirSync('/proc').filter((name) => {
    const link = trySystemCall(() => readlinkSync(`/proc/${name}/cwd`));
    return link === cwd && readFileSync(`/proc/${name}/cmdline`, 'utf8').endsWith('\0ui\0');
  });
  assert.equal(pids.length, 1);
  return Number(pids[0]);
}

/** A run with a page, in its first step, and the process of the page. */
async function runWithPage(t: TestContext, { cwd }: Project) {
  const run = startRecorded(cwd, ['run', 'ci', '--web'], ['ignore', 'ignore', 'pipe']);
  t.after(() => crash(run));
  const ended = once(run, 'close');
  const page = await printedAddress(run);
  const pid = pageOf(cwd);
  t.after(() => process.kill(pid, 'SIGKILL'));
  assert.ok(isAlive(pid));
  return { run, ended, page, pid };
}

test('run --web prints the address of its page before the first step, and ends without it', async (t) => {
  const own = project(t, [waiting('wait', { run: 'until [ -e go ]; do sleep 0.1; done; echo done' })]);
  const { page, ended, pid } = await runWithPage(t, own);
  const read = async (path: string): Promise<Record<string, unknown>> =>
    JSON.parse((await ask(page, `GET ${path}`)).body);
  const id = basename(own.run());
  const { shown, directory } = await read('/api/runs');
  assert.deepEqual([shown, directory], [id, own.cwd]);
  assert.equal((await read(`/api/runs/${id}`))['state'], 'running');
  writeFileSync(join(own.cwd, 'go'), '');
  // Nothing else has the descriptors of the run.
  assert.deepEqual(await ended, [0, null]);
  assert.equal(withoutHelp(page.text()), `cli: this run at http://127.0.0.1:${page.port}/#k=${page.key}\ndone\n`);
  assert.ok(isAlive(pid));
  assert.equal((await read(`/api/runs/${id}`))['state'], 'succeeded');
  assert.equal((await read(`/api/runs/${id}/logs/1-1`))['text'], 'done\n');
});

test('the page of a run stays for its readers when the run is interrupted or killed', async (t) => {
  for (const [signal, state] of [
    ['SIGINT', 'interrupted'],
    ['SIGKILL', 'crashed'],
  ] as const) {
    const own = project(t, [{ name: 'wait', run: 'sleep 600' }]);
    const { run, page, pid } = await runWithPage(t, own);
    // As at a terminal, where Ctrl-C reaches the whole process group.
    assert.ok(run.pid !== undefined);
    process.kill(-run.pid, signal);
    await once(run, 'exit');
    assert.ok(isAlive(pid));
    await until(
      async () => JSON.parse((await ask(page, 'GET /api/runs')).body).runs[0].state === state,
      () => `the run is ${state}`,
    );
  }
});

test('a run whose page cannot start says so, and runs', async (t) => {
  const { cwd } = project(t, [{ run: 'echo done' }]);
  const first = join(cwd, 'first.mjs');
  writeFileSync(first, "if (process.argv.includes('ui')) process.exit(1);");
  const env = { CLI_NO_JOURNAL: undefined, NODE_OPTIONS: `--import ${first}`, BUN_OPTIONS: `--preload ${first}` };
  const { code, stderr } = await cli(['workflow', 'run', 'ci', '--web'], { cwd, env });
  assert.deepEqual([code, stderr], [0, 'cli: warning: no page for this run: its server has ended\ndone\n']);
});

test('--web is refused where there is no record to show', async (t) => {
  const own = project(t, [{ run: 'true' }]);
  const results = await Promise.all([
    ...['--no-journal', '--dry-run', '--watch=src', '--on=postgres://x'].map((flag) => own.cli(`run ci --web ${flag}`)),
    own.cli('run ci --web', { CLI_NO_JOURNAL: '1' }),
    own.cli('resume --last --web'),
  ]);
  assert.deepEqual(
    results.map(({ code, stdout, stderr }) => [code, stdout, stderr]),
    [
      [2, '', "cli: '--web' cannot be used with '--no-journal'\n"],
      [2, '', "cli: '--web' cannot be used with '--dry-run'\n"],
      [2, '', "cli: '--web' cannot be used with '--watch'\n"],
      [2, '', "cli: '--web' cannot be used with '--on'\n"],
      [2, '', "cli: '--web' needs the record of the run: unset CLI_NO_JOURNAL\n"],
      [2, '', "cli: 'cli workflow resume' has no flag '--web'\ncli: see 'cli workflow resume --help'\n"],
    ],
  );
});
