import { realpathSync, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { nameOnDisk } from '../../../backend/system/name_on_disk.ts';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { DEFAULT_FILE } from '../../command_line/default_file.ts';
import { directoriesOfRepository } from '../find_directory.ts';

/**
 * Returns a function that tests whether the file at a path is outside of the project of a workflow file: of its
 * repository or, without one, of its directory. A link or an include may lead to any file that the user can read, and
 * messages must not show its lines. A pipe belongs to the project, because only the user can name it.
 */
export function foreignTo(workflowFile: string): (path: string) => boolean {
  let project: string | undefined;
  return (path) => {
    const found = trySystemCall(() => {
      if (path === '<stdin>' || !statSync(path).isFile()) return { isForeign: false };
      project ??= projectOf(workflowFile);
      const real = nameOnDisk(realpathSync(path));
      return { isForeign: project !== sep && !real.startsWith(`${project}${sep}`) };
    });
    return typeof found === 'string' || found.isForeign;
  };
}

/** The real path of the directory of the project. */
function projectOf(workflowFile: string): string {
  const isDefault = `${sep}${workflowFile}`.endsWith(`${sep}${DEFAULT_FILE}`);
  const directory = nameOnDisk(realpathSync(isDefault ? dirname(dirname(workflowFile)) : dirname(workflowFile)));
  return directoriesOfRepository(directory)?.at(-1) ?? directory;
}
