import { closeSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { saysMissing, trySystemCall } from '../../../backend/system/try_system_call.ts';
import { isSameFile } from '../../driver/read_file.ts';
import type { Io } from '../../output/io.ts';

/**
 * Opens a file with `open` and empties it. Returns a descriptor or the problem. A missing word on the command line must
 * not destroy a file that is being read: the workflow file or standard input.
 */
export function openEmptied(open: () => number | string, io: Io, workflowFile: string): number | string {
  const opened = trySystemCall(open);
  if (typeof opened === 'string') return opened;
  const problem = isSameFile(opened, workflowFile)
    ? 'it is the workflow file'
    : isSameFile(opened, io.stdin)
      ? 'it is standard input'
      : trySystemCall(() => truncate(opened));
  if (problem === undefined) return opened;
  closeSync(opened);
  return problem;
}

/** Opens a file for appending. Returns a descriptor or the problem. */
export function openToAppend(path: string): number | string {
  const opened = trySystemCall(() => openSync(path, 'a'));
  // A missing file is created.
  return typeof opened === 'string' && saysMissing(opened) ? 'its directory does not exist' : opened;
}

/** Empties a regular file. */
export function truncate(descriptor: number): void {
  if (fstatSync(descriptor).isFile()) ftruncateSync(descriptor);
}
