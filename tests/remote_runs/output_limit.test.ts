import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { engineWith, needsPostgres, remoteCli, startWorker } from '../support/remote/workers.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();

const MIB = 2 ** 20;

/** Numbers of seven digits, in lines of eight bytes: the first and the last one of each series. */
const summarize = (text: string): string =>
  text.replaceAll(/^\d{7}\n(?:\d{7}\n)*/gm, (lines) => `${lines.slice(0, 7)}-${lines.slice(-8)}`);

const omission = (bytes: number): string =>
  `cli: ${bytes} bytes of output left out: this run has printed more than 1 MiB`;

test('of a long output, the lines of cli and the last 64 KiB of each failed command are kept', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, {
    workflows: {
      main: {
        steps: [
          { name: 'long', run: 'seq 1000000 1199999; printf open' },
          { name: 'bad', run: 'seq 1000000 1029999; echo the reason; exit 3', allow_failure: true },
          { name: 'good', run: 'seq 1000000 1009999' },
          { name: 'short', run: 'echo the other reason; exit 4' },
        ],
      },
    },
  });
  await startWorker(t, server(), cwd, { env: engineWith(t, { maxOutput: 1 }) });
  const line = ['workflow', 'run', 'main', '--on', server().url, '--id', 'long'];
  const { code, stderr } = await remoteCli(line, cwd);
  assert.equal(code, 1);
  const heading = "cli: step 'long' of workflow 'main'\n";
  const whole = Math.floor((MIB - heading.length) / 8);
  const part = MIB - heading.length - 8 * whole;
  assert.deepEqual(
    summarize(stderr)
      .split('\n')
      .filter((line) => !line.startsWith('cli:   '))
      .slice(0, 17),
    [
      'cli: run long is queued',
      heading.trimEnd(),
      `1000000-${999_999 + whole}`,
      String(1_000_000 + whole).slice(0, part),
      omission(200_000 * 8 + 'open'.length - (MIB - heading.length)),
      "cli: step 'long' of workflow 'main' succeeded, <time>",
      "cli: step 'bad' of workflow 'main'",
      omission(240_011 - 65_531),
      '1021810-1029999',
      'the reason',
      "cli: step 'bad' of workflow 'main' failed with exit code 3 (allowed), <time>",
      "cli: step 'good' of workflow 'main'",
      omission(80_000),
      "cli: step 'good' of workflow 'main' succeeded, <time>",
      "cli: step 'short' of workflow 'main'",
      'the other reason',
      "cli: step 'short' of workflow 'main' failed with exit code 4, <time>",
    ],
  );
  const quiet = await remoteCli(['runs', 'wait', 'long', '--on', server().url, '--quiet'], cwd);
  assert.deepEqual([quiet.code, quiet.stderr], [1, '']);
});

test('of a long output of a group, the last lines of a failed member are kept', LIMITED, async (t) => {
  const noise = 'seq 1000000 1199999';
  for (const [id, group] of [
    ['prefixed', { max_parallel: 2 }],
    ['grouped', { max_parallel: 2, output: 'grouped' }],
  ] as const) {
    const together = {
      ...group,
      fail_fast: false,
      parallel: [
        { name: 'bad', run: `echo the reason; until [ -e ${id} ]; do sleep 0.1; done; exit 3` },
        { name: 'noisy', run: `${noise}; touch ${id}` },
      ],
    };
    const cwd = workflowDirectory(t, { workflows: { main: { steps: [{ name: 'fill', run: noise }, together] } } });
    const worker = await startWorker(t, server(), cwd, { env: engineWith(t, { maxOutput: 1 }) });
    const { code, stderr } = await remoteCli(['workflow', 'run', 'main', '--on', server().url, '--id', id], cwd);
    assert.equal(code, 1);
    assert.match(stderr, id === 'grouped' ? /^the reason$/m : /^bad │ the reason$/m);
    assert.match(stderr, /^cli: step 'bad' of workflow 'main' failed with exit code 3, <time>$/m);
    worker.child.kill('SIGTERM');
    await worker.ended;
  }
});

test(
  'the output of a grouped member that has failed is kept, whatever ends or is recorded before it is printed',
  LIMITED,
  async (t) => {
    const noise = 'seq 1000000 1199999';
    const workflows = {
      member: { steps: ['echo the reason; exit 3'], finally: 'until [ -e ended ]; do sleep 0.1; done' },
      main: {
        steps: [
          { name: 'fill', run: noise },
          {
            output: 'grouped',
            fail_fast: false,
            parallel: [
              { name: 'bad', workflow: 'member' },
              { name: 'noisy', run: `echo left out; ${noise}; touch ended` },
            ],
          },
        ],
      },
    };
    const cwd = workflowDirectory(t, { workflows });
    await startWorker(t, server(), cwd, { env: engineWith(t, { maxOutput: 1 }) });
    const line = ['workflow', 'run', 'main', '--on', server().url, '--id', 'member'];
    const { stderr } = await remoteCli(line, cwd);
    assert.match(stderr, /^cli: output of 'bad':\nthe reason\n/m);
    assert.doesNotMatch(stderr, /left out$/m);
  },
);
