import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineChannel, LineWriter } from '../../src/backend/outputs/line_channel.ts';

/** A channel with two writers, and the text written to it. */
function twoWriters(): { written: () => string; a: LineWriter; b: LineWriter; channel: LineChannel } {
  const all: Buffer[] = [];
  const channel = new LineChannel((bytes) => void all.push(Buffer.from(bytes)));
  const written = (): string => Buffer.concat(all).toString();
  return { written, channel, a: new LineWriter(channel, 'a│'), b: new LineWriter(channel, 'b│') };
}

const push = (writer: LineWriter, text: string): void => writer.push(Buffer.from(text));

test('a line is written when it is complete, with its prefix', () => {
  const { written, a, b } = twoWriters();
  push(a, 'one');
  push(b, 'two\nthree\nfo');
  push(a, ' more\n');
  b.endLine();
  assert.equal(written(), 'b│two\nb│three\na│one more\nb│fo\n');
});

test('a long line is written in pieces with one prefix, while lines of other writers wait', () => {
  const { written, a, b } = twoWriters();
  const piece = 'x'.repeat(70_000);
  push(a, piece);
  push(b, 'waits\n');
  push(a, piece);
  assert.equal(written(), `a│${piece}${piece}`);
  push(a, '\nnext\n');
  assert.equal(written(), `a│${piece}${piece}\nb│waits\na│next\n`);
});

test('when the buffer of another writer is full, the long line is broken and continued with a new prefix', () => {
  const { written, a, b } = twoWriters();
  const piece = 'x'.repeat(70_000);
  const lines = 'y\n'.repeat(40_000);
  push(a, piece);
  push(b, lines);
  push(a, piece);
  a.endLine();
  assert.equal(written(), `a│${piece}\n${'b│y\n'.repeat(40_000)}a│${piece}\n`);
});

test('whole lines of cli wait as those of other writers do, in the order of their arrival', () => {
  const { written, a, b, channel } = twoWriters();
  const piece = 'x'.repeat(70_000);
  push(a, piece);
  push(b, 'before\n');
  channel.print(Buffer.from('cli: one\n'));
  push(b, 'after\n');
  push(a, piece);
  assert.equal(written(), `a│${piece}${piece}`);
  a.endLine();
  assert.equal(written(), `a│${piece}${piece}\nb│before\ncli: one\nb│after\n`);
  channel.print(Buffer.from('cli: two\n'));
  assert.match(written(), /after\ncli: two\n$/);
});

test('a long line is broken when the lines of cli that wait fill the buffer', () => {
  const { written, a, channel } = twoWriters();
  const piece = 'x'.repeat(70_000);
  const lines = 'cli: y\n'.repeat(10_000);
  push(a, piece);
  channel.print(Buffer.from(lines));
  push(a, piece);
  a.endLine();
  assert.equal(written(), `a│${piece}\n${lines}a│${piece}\n`);
});

test('the buffered text of an ended writer is written after the long line of another', () => {
  const { written, a, b } = twoWriters();
  const piece = 'x'.repeat(70_000);
  push(a, piece);
  push(b, 'last');
  b.endLine();
  a.endLine();
  assert.equal(written(), `a│${piece}\nb│last\n`);
});

test('bytes that are not UTF-8 are passed on unchanged', () => {
  const all: Buffer[] = [];
  const writer = new LineWriter(new LineChannel((bytes) => void all.push(Buffer.from(bytes))), '');
  const bytes = Buffer.from([0, 255, 200, 10, 128, 10]);
  writer.push(bytes);
  assert.deepEqual(Buffer.concat(all), bytes);
});
