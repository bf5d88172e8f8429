import { realpathSync } from 'node:fs';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { readRegular, type FileBytes } from '../read_file.ts';

/** Where included files come from: the file system, or a revision. Two paths of one file have one real path. */
export type IncludeFiles = Readonly<{ read: (path: string) => FileBytes; realPath: (path: string) => string }>;

/** The files of the file system. */
export const FILE_SYSTEM: IncludeFiles = {
  read: readRegular,
  realPath: (path) => {
    const found = trySystemCall(() => ({ path: realpathSync(path) }));
    return typeof found === 'string' ? path : found.path;
  },
};
