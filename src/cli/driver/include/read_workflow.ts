import type { IncludeFiles } from './load_includes.ts';
import { checkFile, parsedFile, parsing, readLoading, type ParsedFile } from '../../../frontend/parse.ts';

/**
 * Parses and checks a workflow file and its includes. `path` is the file's, or `-` for standard input. `files` reads
 * included files, by default from the file system.
 */
export async function readWorkflow(bytes: Buffer, path: string, files?: IncludeFiles): Promise<ParsedFile> {
  const checked = checkFile(await readLoading(parsing(bytes)));
  if (checked.checker.includes.length === 0) return parsedFile(checked);
  return (await import('./load_includes.ts')).loadIncludes(checked, path, files);
}
