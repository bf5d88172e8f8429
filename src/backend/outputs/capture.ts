import type { Readable } from 'node:stream';
import type { Output } from '../../frontend/schema/option_fields.ts';
import { noOutputs, readOutputs } from './read_outputs.ts';
import type { OutputsResult } from '../command_runner.ts';
import { delay } from '../system/sleep.ts';

/** Maximum size of a standard output that is read, in bytes. */
const LIMIT = 16 * 1024 * 1024;

/** Maximum time to wait for leftover processes that hold the output open, in milliseconds. */
const PATIENCE = 500;

/** Copies the standard output of a command immediately, and stores it for reading outputs. */
export type Capture = Readonly<{
  /**
   * Must be awaited after the command has ended. Settles once all of its output has been copied. Returns a function that
   * reads outputs, and retains the text.
   */
  drained: () => Promise<(wanted: readonly Output[]) => OutputsResult>;
  /** Stops copying the output of leftover processes. */
  close: () => void;
}>;

/** Captures a stream, and copies it to `passOn`. */
export function capture(stream: Readable, passOn: (chunk: Buffer) => void): Capture {
  let chunks: Buffer[] = [];
  let length = 0;
  let isOver = false;
  const closed = new Promise<void>((resolve) => void stream.once('close', resolve));
  stream.on('data', (chunk: Buffer) => {
    passOn(chunk);
    if (isOver) return;
    length += chunk.length;
    if (length <= LIMIT) chunks.push(chunk);
    else chunks = [];
  });
  // A broken stream has ended: missing outputs are reported.
  stream.once('error', () => stream.destroy());
  return {
    async drained() {
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([closed, new Promise((resolve) => void (timer = setTimeout(resolve, PATIENCE)))]);
      clearTimeout(timer);
      // Two turns of the event loop include a whole poll, which reads everything in the pipe.
      if (!stream.destroyed) await delay(0).then(() => delay(0));
      isOver = true;
      const printed = chunks;
      chunks = [];
      return (wanted) => {
        if (length <= LIMIT) return readOutputs(Buffer.concat(printed), wanted);
        return noOutputs(wanted, `standard output has more than ${LIMIT} bytes (16 MiB)`);
      };
    },
    close: () => void stream.destroy(),
  };
}
