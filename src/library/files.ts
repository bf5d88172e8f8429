import { saysMissing } from '../backend/system/try_system_call.ts';
import { FILE_SYSTEM, type IncludeFiles } from '../cli/driver/include/load_includes.ts';
import { readRegular, withinLimits, type FileBytes } from '../cli/driver/read_file.ts';
import { failure } from '../base/result.ts';
import type { Files } from './types.ts';

const MISSING = 'it does not exist';

/** The file system. Reads regular files only. */
export const DISK: Files = Object.freeze({
  read: (path: string): Uint8Array | undefined => {
    const read = readRegular(path);
    if (read.ok) return read.value;
    const [problem = ''] = read.problems;
    if (saysMissing(problem)) return undefined;
    throw new Error(problem);
  },
  realPath: FILE_SYSTEM.realPath,
});

/** Files for the loader of includes. Without any, every file is missing. */
export function includeFiles(files: Files | undefined): IncludeFiles {
  if (files === undefined) return { read: () => failure('no files are given'), realPath: (path) => path };
  const thrown = new Map<string, string>();
  const realPath = (path: string): string => {
    try {
      return files.realPath?.(path) ?? path;
    } catch (error) {
      thrown.set(path, problemOf(error));
      return path;
    }
  };
  const read = (path: string): FileBytes => {
    const problem = thrown.get(path);
    return problem === undefined ? readFrom(files, path) : failure(problem);
  };
  return { read, realPath };
}

/** Reads a file. What is thrown is the problem. */
export function readFrom(files: Files, path: string): FileBytes {
  try {
    const content: unknown = files.read(path);
    if (content === undefined) return failure(MISSING);
    return bytesOf(content);
  } catch (error) {
    return failure(problemOf(error));
  }
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The bytes of a file, unless it is empty or too large. */
export function bytesOf(content: unknown): FileBytes {
  if (typeof content === 'string') return withinLimits(Buffer.from(content));
  if (!(content instanceof Uint8Array)) return failure('its content is neither a string nor a Uint8Array');
  return withinLimits(Buffer.from(content.buffer, content.byteOffset, content.byteLength));
}
