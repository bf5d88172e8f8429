import { saysMissing } from '../../backend/system/try_system_call.ts';
import type { Source } from '../../frontend/diagnostics/source.ts';
import type { ParsedFile } from '../../frontend/parse.ts';
import { mentionsSecret } from '../../ir/secret_names.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { foreignTo } from './include/foreign_files.ts';
import { readWorkflow } from './include/read_workflow.ts';
import type { Io } from '../output/io.ts';
import type { Message, Reported } from '../output/messages/message.ts';
import { failure } from '../../base/result.ts';
import { readWorkflowFile, type FileBytes } from './read_file.ts';
import { redactPath } from '../command_line/redact.ts';

/**
 * A parsed file and its source text. The file need not be valid. `startDirectory` is the path from the current
 * directory back to the initial one; '' if they are the same.
 */
export type LoadedFile = ParsedFile & { readonly source: Source; readonly startDirectory: string };

/** A file that was looked for, and read if it could be. */
export type ReadFile = Reported<LoadedFile>;

/**
 * Reads and checks a workflow file. If the default file is missing, changes to the parent directory that contains one.
 * Fails if no file can be read.
 */
export async function load(io: Io, options: Options): Promise<ReadFile> {
  if (!hasWorkingDirectory()) return failure('the current directory no longer exists');
  const path = options.file;
  let file = readWorkflowFile(options, io.stdin);
  let startDirectory = '';
  const messages: Message[] = [];
  if (isMissing(file) && !options.isFileNamed) {
    const entered = (await import('./find_file.ts')).enterDirectoryOfFile(io, operandsOf(options));
    if (!entered.ok) return entered;
    startDirectory = entered.value.startDirectory;
    messages.push(entered.value.message);
    file = readWorkflowFile(options, io.stdin);
  }
  const isForeign = foreignTo(path);
  const source = { path: path === '-' ? '<stdin>' : path, isSecret: mentionsSecret, isForeign };
  if (!file.ok) return { ...failure(`cannot read ${redactPath(source.path)}: ${file.problems.join('; ')}`), messages };
  const parsed = await readWorkflow(file.value, path);
  return { ok: true, value: { ...parsed, source: { ...source, ...parsed }, startDirectory }, messages };
}

function isMissing(file: FileBytes): boolean {
  return !file.ok && file.problems.some(saysMissing);
}

function hasWorkingDirectory(): boolean {
  try {
    return process.cwd() !== '';
  } catch {
    // Fails only if the directory has been deleted.
    return false;
  }
}

/** The operands of a command line and the arguments for commands. */
function operandsOf({ words, args }: Options): readonly string[] {
  return args.length === 0 ? words : [...words, '--', ...args];
}
