import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SharedStderr } from '../../src/backend/outputs/shared_stderr.ts';
import { capture } from '../../src/backend/outputs/capture.ts';
import { findShell } from '../../src/backend/system/find_shell.ts';
import { procTable } from '../../src/backend/process/table/process_table.ts';
import { ShellRunner } from '../../src/backend/process/shell_runner.ts';
import { writeBytes } from '../../src/backend/system/write.ts';
import { temporaryDirectory } from '../support/cli.ts';

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

test('a capture forwards the output, reads it, and leaves no timer that keeps the process alive', async (t) => {
  const before = timers();
  const out = join(temporaryDirectory(t), 'out');
  const descriptor = openSync(out, 'w');
  t.after(() => closeSync(descriptor));
  const read = await capture(Readable.from([Buffer.from('[1,'), Buffer.from(' 2]')]), (chunk) =>
    writeBytes(descriptor, chunk),
  ).drained();
  assert.equal(timers(), before);
  assert.deepEqual(read([['A', [1]]]), { ok: true, values: [['A', '2']] });
  assert.equal(readFileSync(out, 'utf8'), '[1, 2]');
});

test('a capture waits half a second for background processes, and reads the output received by then', async (t) => {
  const out = join(temporaryDirectory(t), 'out');
  const descriptor = openSync(out, 'w');
  t.after(() => closeSync(descriptor));
  const stream = new Readable({ read: () => undefined });
  t.after(() => stream.destroy());
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const captured = capture(stream, (chunk) => writeBytes(descriptor, chunk));
  stream.push('1');
  let isDrained = false;
  const drained = captured.drained().finally(() => (isDrained = true));
  const pass = async (milliseconds: number): Promise<void> => {
    t.mock.timers.tick(milliseconds);
    await turn();
  };
  // The last two milliseconds pass one by one, because the two turns of the event loop that follow are timers too.
  const passInTurns = async (milliseconds: number): Promise<void> => {
    for (const each of [milliseconds - 2, 1, 1]) await pass(each);
  };
  await turn();
  await passInTurns(499);
  assert.equal(isDrained, false);
  stream.push('2');
  await passInTurns(3);
  const read = await drained;
  stream.push('3');
  await turn();
  assert.deepEqual(read([['A', []]]), { ok: true, values: [['A', '12']] });
  assert.equal(readFileSync(out, 'utf8'), '123');
});

test('the captures of ended commands are garbage-collected', async (t) => {
  const descriptor = openSync(join(temporaryDirectory(t), 'out'), 'w');
  t.after(() => closeSync(descriptor));
  const shell = findShell();
  assert.ok(shell !== undefined);
  const streams: WeakRef<Readable>[] = [];
  const port = new ShellRunner({
    shell,
    marker: 'CLI_RUN_1_1',
    stdin: descriptor,
    stderr: new SharedStderr(descriptor),
    table: procTable,
    capture: (stream, onto) => {
      streams.push(new WeakRef(stream));
      return capture(stream, onto);
    },
  });
  const environment = new Map([['CLI_RUN_1_1', '1']]);
  const outputs = [['A', []]] as const;
  const given = {
    environment,
    errexit: false,
    references: new Map(),
    outputs,
    timeout: null,
    input: 'none',
    dir: null,
  } as const;
  for (let count = 0; count < 5; count += 1) {
    assert.deepEqual(await port.run({ command: 'echo 1', number: count + 1, ...given }), {
      kind: 'exited',
      code: 0,
      outputs: { ok: true, values: [['A', '1']] },
    });
  }
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(typeof collect === 'function');
  collect();
  // The last ones may still be referenced.
  assert.deepEqual(
    streams.slice(0, 3).map((stream) => stream.deref()),
    [undefined, undefined, undefined],
  );
  await port.finish(Promise.resolve());
});
