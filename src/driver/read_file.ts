import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { trySystemCall } from '../backend/system/try_system_call.ts';
import { whenReady } from '../backend/system/sleep.ts';
import type { Options } from '../command_line/parse.ts';
import { failure, type Result } from '../result.ts';

/** Maximum size of a file in bytes. */
export const SIZE_LIMIT = 16 * 1024 * 1024;

/** The content of a file, or the problem that completes the sentence "cannot read <path>: …". */
export type FileBytes = Result<Buffer>;

/** Reads a whole file, which may be a pipe or a device. `-` stands for the descriptor `stdin`. */
export function readAny(path: string, stdin: number): FileBytes {
  return path === '-' ? readDescriptor(stdin) : readPath(path, 'r', () => false);
}

/** Reads a workflow file. Only one that the user has named may be a pipe or a device. */
export function readWorkflowFile({ file, values }: Pick<Options, 'file' | 'values'>, stdin: number): FileBytes {
  return values.has('file') ? readAny(file, stdin) : readRegular(file);
}

/** Reads a whole regular file. Pipes, sockets and devices are errors, because reading them could block. */
export function readRegular(path: string): FileBytes {
  const stats = trySystemCall(() => statSync(path));
  if (typeof stats === 'string') return failure(stats);
  if (stats.isFile() && stats.size > SIZE_LIMIT) return failure(TOO_LARGE);
  // Reading a directory reports the system's error.
  if (!stats.isFile() && !stats.isDirectory()) return failure(NOT_REGULAR);
  // Another process may have replaced the file: opening a pipe does not wait for its writer.
  return readPath(path, constants.O_RDONLY | constants.O_NONBLOCK, isBlocking);
}

const NOT_REGULAR = 'it is not a regular file';
const TOO_LARGE = `it has more than ${SIZE_LIMIT} bytes (16 MiB)`;

/** Whether reading a descriptor may wait. */
function isBlocking(descriptor: number): boolean {
  const stats = fstatSync(descriptor);
  return !stats.isFile() && !stats.isDirectory();
}

function readPath(path: string, flags: string | number, isRefused: (descriptor: number) => boolean): FileBytes {
  const opened = trySystemCall(() => openSync(path, flags));
  if (typeof opened === 'string') return failure(opened);
  const read = isRefused(opened) ? failure(NOT_REGULAR) : readDescriptor(opened);
  closeSync(opened);
  return read;
}

function readDescriptor(descriptor: number): FileBytes {
  let buffer = Buffer.alloc(0);
  const length = trySystemCall(() => {
    buffer = Buffer.allocUnsafe(expectedSize(descriptor) + 1);
    let total = 0;
    for (let read = -1; read !== 0 && total <= SIZE_LIMIT; total += read) {
      // A file that grows, or one of /proc, whose size is 0. Untouched pages use no memory.
      if (total === buffer.length) buffer = enlarged(buffer);
      read = whenReady(() => readSync(descriptor, buffer, total, buffer.length - total, null));
    }
    return total;
  });
  return typeof length === 'string' ? failure(length) : withinLimits(buffer.subarray(0, length));
}

/** The content of a file, unless it is empty or too large. */
export function withinLimits(content: Buffer): FileBytes {
  if (content.length === 0) return failure('it is empty');
  if (content.length <= SIZE_LIMIT) return { ok: true, value: content };
  return failure(TOO_LARGE);
}

/** The size of a regular file, and the limit for everything else. */
function expectedSize(descriptor: number): number {
  const stats = fstatSync(descriptor);
  return stats.isFile() ? Math.min(stats.size, SIZE_LIMIT) : SIZE_LIMIT;
}

function enlarged(buffer: Buffer): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(SIZE_LIMIT + 1);
  buffer.copy(larger);
  return larger;
}

/** Whether two descriptors, or a path and a descriptor, are one regular file. */
export function isSameFile(descriptor: number, other: string | number): boolean {
  const stats = trySystemCall(() => (typeof other === 'string' ? statSync(other) : fstatSync(other)));
  const { dev, ino } = fstatSync(descriptor);
  return typeof stats !== 'string' && stats.isFile() && stats.dev === dev && stats.ino === ino;
}
