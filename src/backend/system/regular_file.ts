import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { whenReady } from './sleep.ts';
import { trySystemCall } from './try_system_call.ts';

/*
 * Files that anybody may have planted, such as all of a project. A pipe would stop this process until another one writes
 * to it, and a device may have no end. tests/records/openers.test.ts lists everything else that opens a file.
 */

const NOT_REGULAR = 'it is not a regular file';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Opens a regular file to read it. Returns the reason on failure. */
export function openRegular(path: string | Buffer): number | string {
  // To open a device may have an effect.
  const stats = trySystemCall(() => statSync(path));
  if (typeof stats === 'string') return stats;
  if (stats.isDirectory()) return 'EISDIR: illegal operation on a directory';
  // Another process may replace the file meanwhile.
  return stats.isFile() ? open(path, O_RDONLY | O_NONBLOCK) : NOT_REGULAR;
}

/** The same for a file of this tool, which is never a link. */
export function openOwn(path: string): number | string {
  return open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
}

function open(path: string | Buffer, flags: number): number | string {
  const opened = trySystemCall(() => openSync(path, flags));
  // A link that is not followed has this error, and a socket that of a missing device.
  if (typeof opened === 'string') return /^E(?:LOOP|NXIO)/.test(opened) ? NOT_REGULAR : opened;
  if (fstatSync(opened).isFile()) return opened;
  closeSync(opened);
  return NOT_REGULAR;
}

/** Reads and closes a file that was opened by a function above, of a maximum size in bytes. Returns the reason on failure. */
export function readWhole(opened: number | string, limit: number): Buffer | string {
  if (typeof opened === 'string') return opened;
  const read = readDescriptor(opened, limit);
  closeSync(opened);
  return typeof read === 'string' || read.length <= limit ? read : `it has more than ${limit} bytes`;
}

/** Reads a descriptor to its end, or until there are more bytes than a limit. Returns the reason on failure. */
export function readDescriptor(descriptor: number, limit: number): Buffer | string {
  return trySystemCall(() => {
    const stats = fstatSync(descriptor);
    let buffer = Buffer.allocUnsafe((stats.isFile() ? Math.min(stats.size, limit) : limit) + 1);
    let total = 0;
    for (let read = -1; read !== 0 && total <= limit; total += read) {
      // A file that grows, or one of /proc, whose size is 0. Untouched pages use no memory.
      if (total === buffer.length) buffer = enlarged(buffer, limit + 1);
      read = whenReady(() => readSync(descriptor, buffer, total, buffer.length - total, null));
    }
    return buffer.subarray(0, total);
  });
}

function enlarged(buffer: Buffer, size: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(size);
  buffer.copy(larger);
  return larger;
}
