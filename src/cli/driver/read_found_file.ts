import { DEFAULT_FILE } from '../command_line/default_file.ts';
import type { ParsedFile } from '../../frontend/parse.ts';
import { findDirectory } from './find_directory.ts';
import { readWorkflow } from './include/read_workflow.ts';
import { readRegular } from './read_file.ts';

/**
 * The workflow file for help, suggestions and completion, which need not be valid: undefined if it cannot be read. The
 * default file, unless the user has named it, is searched for in parent directories, and then its directory becomes the
 * current one. Pipes are not read.
 */
export async function readFoundFile(path: string, isNamed = path !== DEFAULT_FILE): Promise<ParsedFile | undefined> {
  const directory = isNamed ? undefined : findDirectory(process.cwd());
  if (directory !== undefined) process.chdir(directory);
  const read = readRegular(path);
  return read.ok ? readWorkflow(read.value, path) : undefined;
}
