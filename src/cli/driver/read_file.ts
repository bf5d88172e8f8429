import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { openRegular, readDescriptor } from '../../backend/system/regular_file.ts';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { failure, type Result } from '../../base/result.ts';

/** Maximum size of a file in bytes. */
export const SIZE_LIMIT = 16 * 1024 * 1024;

/** The content of a file, or the problem that completes the sentence "cannot read <path>: …". */
export type FileBytes = Result<Buffer>;

/** Reads a whole file, which may be a pipe or a device. `-` stands for the descriptor `stdin`. */
export function readAny(path: string, stdin: number): FileBytes {
  return path === '-' ? readBytes(stdin) : readOpened(trySystemCall(() => openSync(path, 'r')));
}

/** Reads a workflow file. Only one that the user has named may be a pipe or a device. */
export function readWorkflowFile(
  { file, isFound, isFileNamed }: Pick<Options, 'file' | 'isFileNamed' | 'isFound'>,
  stdin: number,
): FileBytes {
  return isFileNamed && isFound !== true ? readAny(file, stdin) : readRegular(file);
}

/** Reads a whole regular file. Pipes, sockets and devices are errors, because reading them could block. */
export function readRegular(path: string): FileBytes {
  return readOpened(openRegular(path));
}

function readOpened(opened: number | string): FileBytes {
  if (typeof opened === 'string') return failure(opened);
  const read = readBytes(opened);
  closeSync(opened);
  return read;
}

function readBytes(descriptor: number): FileBytes {
  const read = readDescriptor(descriptor, SIZE_LIMIT);
  return typeof read === 'string' ? failure(read) : withinLimits(read);
}

/** The content of a file, unless it is empty or too large. */
export function withinLimits(content: Buffer): FileBytes {
  if (content.length === 0) return failure('it is empty');
  if (content.length <= SIZE_LIMIT) return { ok: true, value: content };
  return failure(`it has more than ${SIZE_LIMIT} bytes (16 MiB)`);
}

/** Whether two descriptors, or a path and a descriptor, are one regular file. */
export function isSameFile(descriptor: number, other: string | number): boolean {
  const stats = trySystemCall(() => (typeof other === 'string' ? statSync(other) : fstatSync(other)));
  const { dev, ino } = fstatSync(descriptor);
  return typeof stats !== 'string' && stats.isFile() && stats.dev === dev && stats.ino === ino;
}
