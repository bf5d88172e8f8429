/* The presentation of runs and resumes: in a subdirectory, in short forms, as a report. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { COMMAND, COMMAND_LINE, temporaryDirectory, type CommandResult } from '../support/cli.ts';
import { quickCli as cli, quickCliWithAnnouncements as cliWithAnnouncements } from '../support/in_process.ts';
import { check, compile } from '../support/goldens/schemas.ts';
import { needs } from '../support/needs.ts';
import { screenOf } from '../support/processes/screen.ts';
import { terminal } from '../support/processes/terminal.ts';
import { effect, project, stepsOf } from '../support/runs/recorded_run.ts';

const FAILING = effect('b', { run: 'echo b >> effects; test -e fixed' });
const env = { CLI_NO_JOURNAL: undefined };

test('runs are found and resumed from a subdirectory of the repository', async (t) => {
  const { cwd, cli: inProject, effects, run } = project(t, [effect('a'), FAILING]);
  mkdirSync(join(cwd, '.git'));
  mkdirSync(join(cwd, 'x/y'), { recursive: true });
  await inProject('run ci');
  const below = { cwd: join(cwd, 'x/y'), env };
  const listed = await cli(['workflow', 'runs', 'list', '--format', 'table'], below);
  const [, row = ''] = listed.stdout.split('\n');
  const name = basename(run()).slice(-5);
  const [see, store] = [`to see why: cli runs show ${name} --format text`, 'to store the output next time, add --logs'];
  assert.equal(row.split(' ')[0], name);
  assert.equal(listed.stderr, `cli: using ../../.cli/runs\ncli: ${see}\ncli: ${store}\n`);
  const elsewhere = async (CLI_RUNS_DIR: string): Promise<string> =>
    (await cli(['runs', 'list', '--format', 'table'], { ...below, env: { ...env, CLI_RUNS_DIR } })).stderr;
  assert.equal(await elsewhere('else/runs'), 'cli: using ../../else/runs\ncli: no run is recorded in else/runs\n');
  const absolute = join(cwd, 'else');
  assert.equal(await elsewhere(absolute), `cli: using ${absolute}\ncli: no run is recorded in ${absolute}\n`);
  for (const words of [['show', '--last'], ['prune']]) assert.equal((await cli(['runs', ...words], below)).code, 0);
  writeFileSync(join(cwd, 'fixed'), '');
  const { stdout } = await cli(['workflow', 'resume', '--last', '--report', 'r.json'], below);
  assert.deepEqual(stepsOf(stdout), ['a 0 kept', 'b 0']);
  assert.deepEqual(effects(), ['a', 'b', 'b']);
  assert.equal((await cli(['runs', 'list', '--file', 'none.json', '--format', 'json'], below)).stdout, '[]\n');
});

/** A list of runs without their ages, which change by the second. */
const ageless = ({ stdout, ...rest }: CommandResult): object => ({ ...rest, table: stdout.replace(/\d+s +/, '') });

test('`cli runs` lists the runs, and commands without a run name `--last`', async (t) => {
  const { cwd, cli: inProject } = project(t, [effect('a')]);
  await inProject('run ci');
  const words = ['runs', 'list'] as const;
  const [short, long] = [await cli(['runs'], { cwd, env }), await cli(words, { cwd, env })];
  assert.deepEqual(ageless(short), ageless(long));
  const json = ['--format', 'json'];
  assert.deepEqual(await cli(['runs', ...json], { cwd, env }), await cli([...words, ...json], { cwd, env }));
  for (const command of ['resume', 'workflow runs show', 'workflow runs logs']) {
    const stderr = `cli: name a run (cli runs lists them), or add --last for the newest\ncli: see 'cli ${command} --help'\n`;
    assert.deepEqual(await cli(command.split(' '), { cwd, env }), { code: 2, signal: null, stdout: '', stderr });
  }
  for (const command of ['show', 'logs']) {
    const [newest, named] = [
      await cli(['runs', command], { cwd, env }),
      await cli(['runs', command, '--last'], { cwd, env }),
    ];
    assert.deepEqual(newest, named);
  }
});

test('the first line of the progress at a terminal is the id of the run', needs('python3'), async (t) => {
  const { cwd, run } = project(t, [effect('a')]);
  const [program, ...first] = COMMAND;
  const shown = terminal(t, cwd, program, [...first, 'run', 'ci'], {
    ...env,
    TERM: 'xterm',
    NO_COLOR: '1',
    CI: undefined,
  });
  assert.deepEqual(await shown.ended, { code: 0, signal: null });
  const screen = await shown.shows('succeeded');
  assert.equal(screen.split('\r\n')[0], `run ${basename(run())}`);
});

test(
  'after a failure at a terminal, a line says how to store the output, unless it is stored',
  needs('python3'),
  async (t) => {
    const { cwd } = project(t, [effect('a'), FAILING]);
    const show = (...commands: readonly string[]): Promise<string[]> => {
      const words = commands.map((command, index) => (index === 0 ? command : `${COMMAND_LINE} ${command}`)).join('; ');
      return screenOf(t, cwd, 80, words, { NO_COLOR: '1', CLI_NO_JOURNAL: '', XDG_STATE_HOME: cwd });
    };
    const lines = await show('run ci', 'resume --last', 'runs', 'resume --last --logs', 'runs');
    const STORE = 'cli: to store the output next time, add --logs';
    const [next, see] = ['cli: to continue with b (finished steps are kept):', 'cli: to see why: cli runs show ID'];
    const again = 'cli: to see why: cli runs show <run>';
    assert.deepEqual(
      lines
        .filter((line) => /^cli: to|^RUN/.test(line))
        .map((line) => line.replace(/^RUN.*/, 'a table').replace(/(?<=show )\w{5}$/, 'ID')),
      [STORE, next, STORE, next, 'a table', see, STORE, again, next, 'a table', see],
    );
  },
);

test('a run whose directory was moved is resumed in the new place', async (t) => {
  const { cwd, cli: inProject, run } = project(t, [effect('a'), FAILING]);
  await inProject('run ci');
  const id = basename(run());
  const moved = join(temporaryDirectory(t), 'moved');
  renameSync(cwd, moved);
  const { code, stdout, stderr } = await cliWithAnnouncements(['workflow', 'resume', '--last'], { cwd: moved, env });
  assert.deepEqual([code, stepsOf(stdout)], [1, ['a 0 kept', 'b 1']]);
  assert.equal(stderr.split('\n')[0], `cli: warning: run ${id} began in ${cwd} and continues in ${moved}`);
  assert.match(stderr, /^cli: {3}at \.cli\/workflow\.json:1:\d+: /m);
  assert.deepEqual(JSON.parse((await cli(['runs', 'show', '--last'], { cwd: moved, env })).stdout).cwd, moved);
});

test('a run of a file with the name `-` is resumed with that file', async (t) => {
  const { cwd, cli: inProject } = project(t, [effect('a'), FAILING]);
  renameSync(join(cwd, '.cli/workflow.json'), join(cwd, '-'));
  await inProject('run ci --file ./-');
  const { code, stdout } = await inProject('resume --last');
  assert.deepEqual([code, stepsOf(stdout)], [1, ['a 0 kept', 'b 1']]);
});

test('the short form of a resume prints its plan as text, and the long form a document', async (t) => {
  const { cwd, cli: inProject, run } = project(t, [effect('a'), FAILING]);
  await inProject('run ci');
  const plan = `run ${basename(run())} of workflow ci\n  = a  kept: finished\n  > b  run\n`;
  const short = await cliWithAnnouncements(['resume', '--last', '--dry-run'], { cwd, env });
  assert.deepEqual(short, { code: 0, signal: null, stdout: plan, stderr: '' });
  const json = await cliWithAnnouncements(['resume', '--last', '-n', '--format', 'json'], { cwd, env });
  assert.deepEqual([json.code, stepsOf(json.stdout), json.stderr], [0, ['a kept', 'b run'], plan]);
  const long = await inProject('resume --last --dry-run');
  assert.deepEqual([long.stdout, long.stderr], [json.stdout, plan]);
});

test('`runs show --report` writes an HTML report of a recorded run, with a note about missing details', async (t) => {
  const { cwd, cli: inProject } = project(t, [effect('a'), { workflow: 'other' }, FAILING], { finally: 'true' });
  const file = join(cwd, '.cli/workflow.json');
  const content = JSON.parse(readFileSync(file, 'utf8'));
  const other = { steps: [effect('x', { if: 'true' })] };
  writeFileSync(file, JSON.stringify({ ...content, workflows: { ...content.workflows, other } }));
  await inProject('run ci API_TOKEN:hush V:1');
  writeFileSync(join(cwd, 'fixed'), '');
  await inProject('resume --last API_TOKEN:hush');
  const { code, stdout } = await inProject('runs show --last --report out.html');
  assert.deepEqual([code, JSON.parse(stdout).sessions.length], [0, 2]);
  const page = readFileSync(join(cwd, 'out.html'), 'utf8');
  const titles = [...page.matchAll(/<summary>(.*?)<\/summary>/g)].map(([, title]) => title);
  assert.deepEqual(titles, ['a', 'if true', 'x', 'b', 'hook finally']);
  assert.match(page, /<dt>Steps<\/dt><dd>2 kept, 1 succeeded</);
  assert.match(page, /<dt>Note<\/dt><dd>From the record of the run: without the output of commands\.</);
  assert.match(page, /<code>API_TOKEN=\*\*\*<\/code>/);
  assert.doesNotMatch(page, /hush|:0:0/);
  const refused = await inProject('runs show --last --report out.xml');
  assert.deepEqual([refused.code, refused.stderr], [2, 'cli: the report of a recorded run is a file *.html\n']);
  const unwritable = await inProject('runs show --last --report no/out.html');
  const stderr = 'cli: cannot write the report no/out.html: its directory does not exist\n';
  assert.deepEqual([unwritable.code, unwritable.stdout, unwritable.stderr], [2, '', stderr]);
});

test('runs show has the history of a run: each session with its user, host, result, reason and parameters', async (t) => {
  const { cwd, cli: inProject } = project(t, [effect('a'), FAILING]);
  await inProject('run ci V:1 API_TOKEN:hush');
  await new Promise((resolve) => setTimeout(resolve, 1000));
  writeFileSync(join(cwd, 'fixed'), '');
  await inProject('resume --last API_TOKEN:hush');
  const { sessions } = JSON.parse((await inProject('runs show --last')).stdout);
  const { uid, username: user } = userInfo();
  const about = { user, uid, host: hostname(), params: { V: '1', API_TOKEN: '***' } };
  assert.deepEqual(
    sessions.map(({ session: n, state, reason, user: name, uid: id, host, params }: Record<string, unknown>) => {
      return { n, state, reason, user: name, uid: id, host, params };
    }),
    [
      { n: 1, state: 'failed', reason: 'b: exit code 1', ...about },
      { n: 2, state: 'succeeded', reason: null, ...about },
    ],
  );
  const { stdout } = await inProject('runs show --last --format text');
  const by = `UTC by ${user} on ${hostname()}`;
  assert.deepEqual(
    stdout.match(/(?<=^ {2}session ).*/gm)?.map((line) => line.replace(/\d{4}-\d\d-\d\d [\d:]+/, 'T')),
    [`1: T ${by}: failed (b: exit code 1) V=1 API_TOKEN=***`, `2: T ${by}: succeeded V=1 API_TOKEN=***`],
  );
  const [{ start, end, duration_ms: took }] = JSON.parse((await inProject('runs list')).stdout);
  assert.ok(took <= Date.parse(end) - Date.parse(start) - 1000, `${took} ms without the pause`);
});

test('a dry run of a part of a workflow shows the omitted steps', async (t) => {
  const steps = [effect('a'), effect('b', { timeout: '1s' }), { parallel: ['echo x', 'echo y'] }];
  const { cwd, cli: inProject } = project(t, steps);
  const { stdout, stderr } = await inProject('run ci --only b --dry-run');
  assert.deepEqual(JSON.parse(stdout), {
    workflow: 'ci',
    dry_run: true,
    steps: [
      { name: 'a', command: 'echo a >> effects', left_out: true },
      { name: 'b', command: 'echo b >> effects', timeout: '1s' },
      {
        parallel: [
          { name: 'step_3.1', command: 'echo x', left_out: true },
          { name: 'step_3.2', command: 'echo y', left_out: true },
        ],
      },
    ],
  });
  check(compile('dry-run'), JSON.parse(stdout));
  const outline = [
    'workflow ci',
    '  - a  (left out)  echo a >> effects',
    '  - b  (at most 1s)  echo b >> effects',
    '  > in parallel',
    '    - step_3.1  (left out)  echo x',
    '    - step_3.2  (left out)  echo y',
    '',
  ].join('\n');
  assert.equal(stderr, outline);
  assert.equal((await cli(['run', 'ci', '-n', '--until', 'a'], { cwd })).stdout.match(/left out/g)?.length, 3);
});

test('runs cancel interrupts a local run, and runs wait exits as the run does, by the short id', async (t) => {
  const { cwd, spawn, start, run } = project(t, [{ name: 'a', run: 'touch ready; exec sleep 60' }]);
  const child = await start('run ci');
  const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
  const [id, short] = [basename(run()), basename(run()).slice(-5)];
  const waited = spawn(`runs wait ${short} -q`);
  const cancelled = await spawn(`runs cancel ${short}`);
  const { start: _, end: __, duration_ms: ___, ...entry } = JSON.parse(cancelled.stdout);
  assert.deepEqual(entry, { id, workflow: 'ci', state: 'interrupted', sessions: 1, step: 'a' });
  assert.deepEqual([cancelled.code, cancelled.stderr, await ended], [0, '', 'SIGINT']);
  const { signal, stdout } = await waited;
  assert.deepEqual([signal, JSON.parse(stdout).id, JSON.parse(stdout).state], ['SIGINT', id, 'interrupted']);
  assert.equal((await spawn(`runs cancel ${id}`)).code, 1);
  assert.equal((await cli(['runs', 'wait', 'nnnnn'], { cwd, env })).stderr, "cli: no run 'nnnnn' is recorded here\n");
});

for (const [end, code] of [
  ['true', 0],
  ['exit 3', 1],
] as const) {
  test(`runs wait prints a run whose last step is '${end}' as runs show does, and exits with ${code}`, async (t) => {
    const { cwd, spawn, start, run } = project(t, [
      { name: 'a', run: `touch ready; until [ -e go ]; do sleep 0.1; done; ${end}` },
    ]);
    const child = await start('run ci');
    const id = basename(run());
    const waited = spawn(`runs wait ${id}`);
    writeFileSync(join(cwd, 'go'), '');
    assert.equal((await waited).code, code);
    assert.equal((await waited).stdout, (await spawn(`runs show ${id}`)).stdout);
    assert.equal(child.exitCode ?? code, code);
  });
}
