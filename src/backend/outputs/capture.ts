import { writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Output } from '../../frontend/ast.ts';
import { readOutputs } from './read_outputs.ts';
import type { OutputsResult } from '../command_runner.ts';
import { delay, whenReady } from '../system/sleep.ts';

/** At most this many bytes of what a step prints are read. */
const LIMIT = 16 * 1024 * 1024;

/** How long, in milliseconds, what a command leaves running may hold its output open before we go on without it. */
const PATIENCE = 500;

/** What a command prints on its way to two readers: a descriptor, as it comes, and whoever asks for outputs. */
export type Capture = Readonly<{
  /**
   * To be awaited when the command has ended: until all that it printed has been passed on. Gives what reads outputs
   * from that; whoever drops it, drops what was printed.
   */
  drained: () => Promise<(wanted: readonly Output[]) => OutputsResult>;
  /** Stops to pass on what comes from processes that the command has left running. */
  close: () => void;
}>;

/** Takes what comes from a stream, and passes it on to a descriptor. */
export function capture(stream: Readable, descriptor: number): Capture {
  let chunks: Buffer[] = [];
  let length = 0;
  let isOver = false;
  const closed = new Promise<void>((resolve) => void stream.once('close', resolve));
  stream.on('data', (chunk: Buffer) => {
    passOn(descriptor, chunk);
    if (isOver) return;
    length += chunk.length;
    if (length <= LIMIT) chunks.push(chunk);
    else chunks = [];
  });
  // A stream that breaks off has ended: what is missing shows in what was read.
  stream.once('error', () => stream.destroy());
  return {
    async drained() {
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([closed, new Promise((resolve) => void (timer = setTimeout(resolve, PATIENCE)))]);
      clearTimeout(timer);
      // Two turns have a whole poll between them, which takes all that the system holds for us.
      if (!stream.destroyed) await delay(0).then(() => delay(0));
      isOver = true;
      const printed = chunks;
      chunks = [];
      return (wanted) => {
        if (length <= LIMIT) return readOutputs(Buffer.concat(printed), wanted);
        return { ok: false, problems: [`standard output has more than ${LIMIT} bytes (16 MiB)`] };
      };
    },
    close: () => void stream.destroy(),
  };
}

/** That nobody reads it any more is no reason to fail. */
function passOn(descriptor: number, chunk: Buffer): void {
  try {
    for (let done = 0; done < chunk.length;) done += whenReady(() => writeSync(descriptor, chunk, done));
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && error.syscall === 'write')) throw error;
  }
}
