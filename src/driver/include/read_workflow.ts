import type { IncludeFiles } from './include_files.ts';
import { checkFile, parsedFile, type ParsedFile } from '../../frontend/parse.ts';

/**
 * Reads and checks a workflow file with the files that it includes. `path` is that of the file, `-` for none; `files` is
 * where the others come from, the file system by default.
 */
export async function readWorkflow(bytes: Buffer, path: string, files?: IncludeFiles): Promise<ParsedFile> {
  const checked = await checkFile(bytes);
  if (checked.checker.includes.length === 0) return parsedFile(checked);
  return (await import('./load_includes.ts')).loadIncludes(checked, path, files);
}
