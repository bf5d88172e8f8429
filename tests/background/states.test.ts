/* The states of steps in the background, wherever a run is shown. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { cli, workflowDirectory } from '../support/cli.ts';
import { connectHere } from '../support/mcp/served.ts';
import { crash, killAlone, project } from '../support/runs/recorded_run.ts';
import { until } from '../support/until.ts';

const SERVER = { name: 'server', run: 'echo up; exec sleep 92.1', background: true, ready: { output: 'up' } };

/** A text without times. */
const timeless = (text: string): string =>
  text.replace(/\b[\d.]+ (?:ms|s)\b/g, 'T').replace(/ time[a-z]*="[^"]*"/g, '');

const read = (cwd: string, name: string): string => readFileSync(join(cwd, name), 'utf8');

type Op = Readonly<{ name: string; status?: string; state?: string; ready_ms?: number | null; duration_ms: number }>;

/** The states of the steps of a document, with whether they were ready. */
const statesOf = (ops: readonly Op[]): unknown =>
  ops.map(({ name, status, state = status, ready_ms: ready }) => [name, state, ready && typeof ready]);

describe('the states of steps in the background', { concurrency: 2 }, () => {
  test('every report and the record show that a step was stopped or has failed, and when it was ready', async (t) => {
    const steps = [
      SERVER,
      { ...SERVER, name: 'dying', run: 'echo up; sleep 2; exit 7' },
      { name: 'tests', run: 'sleep 92.2' },
    ];
    const cwd = workflowDirectory(t, { workflows: { ci: { steps } } });
    const reports = ['r.json', 'r.xml', 'r.html'].flatMap((path) => ['--report', path]);
    const env = { CLI_NO_JOURNAL: undefined, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') };
    const { stderr } = await cli(['run', 'ci', ...reports, '--events', 'events'], { cwd, env });
    const expected = [
      ['server', 'stopped', 'number'],
      ['dying', 'failed', 'number'],
      ['tests', 'failed', undefined],
    ];
    const report: { ops: Op[]; summary: string } = JSON.parse(read(cwd, 'r.json'));
    assert.deepEqual(statesOf(report.ops), expected);
    assert.equal(report.summary, '1 stopped, 2 failed');
    assert.deepEqual(
      read(cwd, 'r.xml')
        .match(/<system-out>.*(?=<)/g)
        ?.map(timeless),
      ['<system-out>stopped, ready after T'],
    );
    assert.match(
      timeless(read(cwd, 'r.xml')),
      /message="ended with exit code 7 while &#39;tests&#39; ran".*ready after T</,
    );
    const cells = [...read(cwd, 'r.html').matchAll(/<td class="result">(.*?)<\/td>/g)].map(([, cell = '']) =>
      timeless(cell),
    );
    assert.deepEqual(cells.slice(0, 2), [
      '✓ stopped, ready after T',
      '✗ ended with exit code 7 while &#39;tests&#39; ran, ready after T',
    ]);
    const events = read(cwd, 'events')
      .trim()
      .split('\n')
      .map((line): Op & { event: string } => JSON.parse(line));
    const ended = events.filter(({ event }) => event === 'op_ended');
    assert.deepEqual(ended.map(({ name, status }) => `${name} ${status}`).toSorted(), [
      'dying failed',
      'server stopped',
      'tests failed',
    ]);
    const rows = read(cwd, 'summary.md')
      .split('\n')
      .filter((line) => line.startsWith('| '));
    assert.match(timeless(rows.join('\n')), /^\| server \| ci \| stopped, ready after T \| T \|$/m);
    assert.match(timeless(stderr), /^cli: ok server ready after T\n[^]*^cli: ok server stopped after T$/m);
    // Each folding group of the log is closed once.
    assert.equal(stderr.match(/^::group::/gm)?.length, stderr.match(/^::endgroup::/gm)?.length);
    const shown = await cli(['runs', 'show', '--last'], { cwd, env });
    assert.deepEqual(statesOf(JSON.parse(shown.stdout).steps), expected);
    const text = await cli(['runs', 'show', '--last', '--format', 'text'], { cwd, env });
    assert.deepEqual(
      timeless(text.stdout)
        .split('\n')
        .filter((line) => /server|dying|tests/.test(line))
        .slice(0, 3),
      [
        '  ✓ server  stopped, ready after T, T',
        "  ✗ dying  ended with exit code 7 while 'tests' ran, ready after T, T",
        "  ✗ tests  was cancelled with exit code 143 (terminated by SIGTERM) because background step 'dying' ended, T",
      ],
    );
  });

  test('while a run goes on, a step is starting and then ready; what a killed run leaves is named', async (t) => {
    const run = 'until [ -e up ]; do sleep 0.1; done; echo up; exec sleep 92.3';
    const tests = { name: 'tests', run: ': > ready; until [ -e go ]; do sleep 0.1; done' };
    const own = project(t, [{ name: 'first', run: ': > ready' }, { ...SERVER, run }, tests]);
    const process = await own.start('run ci');
    t.after(() => crash(process));
    const host = await connectHere(t, own.cwd);
    const shown = async (): Promise<unknown> => {
      const { stdout } = await own.cli('runs show --last');
      const { content } = await host.call('get_run', { run: JSON.parse(stdout).id });
      const { step, background }: Readonly<Record<string, unknown>> = Object(content);
      return [
        statesOf(JSON.parse(stdout).steps),
        step,
        JSON.stringify(background).replace(/"ready_ms":\d+/, '"ready_ms":0'),
      ];
    };
    const untilShown = async (step: string, state: string, background: string): Promise<void> => {
      const [first, last] = [
        ['first', 'succeeded', undefined],
        ['tests', state === 'ready' ? 'running' : 'not reached', undefined],
      ];
      const expected = [[first, ['server', state, state === 'ready' ? 'number' : null], last], step, background];
      let found: unknown;
      await until(
        async () => JSON.stringify((found = await shown())) === JSON.stringify(expected),
        () => `the page shows ${JSON.stringify(found)}`,
      );
    };
    await untilShown('server', 'starting', '[{"step":"server","state":"starting","ready_ms":null,"duration_ms":null}]');
    writeFileSync(join(own.cwd, 'up'), '');
    await untilShown('tests', 'ready', '[{"step":"server","state":"ready","ready_ms":0,"duration_ms":null}]');
    await killAlone(process);
    writeFileSync(join(own.cwd, 'go'), '');
    const left = async (): Promise<unknown> => JSON.parse((await own.cli('runs list')).stdout)[0].left_running;
    await until(
      async () => JSON.stringify(await left()) === '["server"]',
      () => 'only the server is left running',
    );
    const { stdout } = await own.cli('runs show --last');
    assert.deepEqual(JSON.parse(stdout).left_running, ['server']);
    const text = await own.cli('runs show --last --format text');
    assert.match(text.stdout, /^ {2}left running: server; a resume ends steps in the background$/m);
    const { stderr } = await own.cli('resume --last --on-crash rerun');
    assert.match(stderr, /^cli: ending what is left of the steps in the background: server \(\d+\)$/m);
    assert.equal(await left(), undefined);
  });
});
