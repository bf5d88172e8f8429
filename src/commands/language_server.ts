import { createReadStream, fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { writeBytes } from '../backend/system/write.ts';
import { refuse, type Io } from '../output/io.ts';
import { VERSION } from '../version.ts';

/** `lsp`: serves an editor on standard input and output until it ends. */
export async function languageServer(io: Io): Promise<number> {
  if (isatty(io.stdin)) {
    return refuse(io, ['a language server is started by an editor, which speaks to it on standard input', HINT]);
  }
  const { serve } = await import('./lsp.cjs');
  // Written at once, so that nothing is lost when the process ends.
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      writeBytes(io.stdout, chunk);
      done();
    },
  });
  return new Promise((resolve) => serve({ input: openInput(io.stdin), output, version: VERSION, exit: resolve }));
}

const HINT = 'to set up an editor: https://github.com/workflow-plan/workflow-plan/blob/main/docs/editors.md';

/** A stream of a descriptor. main.ts has removed the stream of Node.js. */
function openInput(descriptor: number): NodeJS.ReadableStream {
  if (globalThis.Bun !== undefined) return process.stdin;
  const stats = fstatSync(descriptor);
  if (stats.isFIFO() || stats.isSocket()) return new Socket({ fd: descriptor, readable: true, writable: false });
  return createReadStream('', { fd: descriptor });
}
