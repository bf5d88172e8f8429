import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { capture } from '../src/backend/capture.ts';
import { folder } from './support/cli.ts';

const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

test('a capture passes on what comes, reads it, and leaves no timer that would keep the tool from ending', async (t) => {
  const before = timers();
  const out = join(folder(t), 'out');
  const descriptor = openSync(out, 'w');
  t.after(() => closeSync(descriptor));
  const read = await capture(Readable.from([Buffer.from('[1,'), Buffer.from(' 2]')]), descriptor).drained();
  assert.equal(timers(), before);
  assert.deepEqual(read([['A', [1]]]), { ok: true, values: [['A', '2']] });
  assert.equal(readFileSync(out, 'utf8'), '[1, 2]');
});
