import assert from 'node:assert/strict';
import { closeSync, openSync, writeSync } from 'node:fs';
import { test } from 'node:test';
import { OutputPipes } from '../../src/backend/outputs/output_pipes.ts';
import { until } from '../support/until.ts';

test('a pipe gives its command all that was printed before its end, and no other command what is printed later', async (t) => {
  const pipes = await OutputPipes.create(2);
  if (typeof pipes === 'string') throw new Error(pipes);
  t.after(() => pipes.close());
  const printed = ['', '', ''];
  const open = (command: number): Readonly<{ descriptor: number; drained: () => Promise<void> }> => {
    const pipe = pipes.open((chunk) => (printed[command] += String(chunk)), `${command}.log`);
    if (pipe === undefined) throw new Error('no pipe');
    return pipe;
  };
  const first = open(0);
  writeSync(first.descriptor, 'all of it');
  // Without a turn of the event loop, which would read the pipe.
  await first.drained();
  assert.deepEqual([printed[0], pipes.isFull], ['all of it', false]);
  const second = open(1);
  writeSync(second.descriptor, 'the end');
  const leftover = openSync(`/dev/fd/${second.descriptor}`, 'w');
  await second.drained();
  assert.ok(pipes.isFull, 'a process that is left writes to the pipe');
  await pipes.makeRoom();
  const third = open(2);
  writeSync(leftover, ', and later');
  closeSync(leftover);
  await third.drained();
  await until(
    () => printed[1] === 'the end, and later',
    () => `the second command has printed ${printed[1]}`,
  );
  assert.equal(printed[2], '');
});
