import { createReadStream, fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { writeBytes } from './write.ts';

/** A stream of a descriptor. main.ts has removed the stream of Node.js. */
export function openInput(descriptor: number): NodeJS.ReadableStream {
  if (globalThis.Bun !== undefined) return process.stdin;
  const stats = fstatSync(descriptor);
  if (stats.isFIFO() || stats.isSocket()) return new Socket({ fd: descriptor, readable: true, writable: false });
  return createReadStream('', { fd: descriptor });
}

/**
 * A stream to a descriptor, written at once, so that nothing is lost when the process ends. Write errors are ignored:
 * the reader is gone, as the end of the input will show.
 */
export function openOutput(descriptor: number): NodeJS.WritableStream {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      writeBytes(descriptor, chunk);
      done();
    },
  });
}
