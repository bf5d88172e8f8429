import { realpathSync } from 'node:fs';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { readRegular, type FileBytes } from '../read_file.ts';

/** The source of included files: the file system or a Git revision. All paths of one file have the same `realPath`. */
export type IncludeFiles = Readonly<{ read: (path: string) => FileBytes; realPath: (path: string) => string }>;

/** Reads from the file system. */
export const FILE_SYSTEM: IncludeFiles = {
  read: readRegular,
  realPath: (path) => {
    const found = trySystemCall(() => ({ path: realpathSync(path) }));
    return typeof found === 'string' ? path : found.path;
  },
};
