import { checkFile, parsedFile, type ParsedFile } from '../../frontend/parse.ts';

/** Reads and checks a workflow file with the files that it includes. `path` is that of the file, `-` for none. */
export async function readWorkflow(bytes: Buffer, path: string): Promise<ParsedFile> {
  const checked = await checkFile(bytes);
  if (checked.checker.includes.length === 0) return parsedFile(checked);
  return (await import('./load_includes.ts')).loadIncludes(checked, path);
}
