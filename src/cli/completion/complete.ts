import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { write } from '../../backend/system/write.ts';
import type { ParsedFile } from '../../frontend/parse.ts';
import { readWorkflow } from '../driver/include/read_workflow.ts';
import { bashReplies, readBashLine } from './bash_line.ts';
import { candidates, type Candidates } from './candidates.ts';
import { DEFAULT_FILE } from '../command_line/default_file.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { EXIT, type Io } from '../output/io.ts';
import { findDirectory } from '../driver/find_directory.ts';
import { readRegular } from '../driver/read_file.ts';
import { truncateLabel } from '../../base/truncate.ts';

/**
 * `completion words`: prints the completions of the word at the cursor, one per line. Never fails and prints no errors,
 * because a message would garble the command line.
 */
export async function complete(io: Io, { words: [shell, ...given] }: Options): Promise<number> {
  write(io.stdout, await (shell === 'bash' ? forBash(io, given) : forOthers(io, given)));
  return EXIT.ok;
}

/** The answer for file names: a line with no text before its tab. */
const FILES = ['\t\n'];

/** bash passes the line up to the cursor, and COMP_WORDBREAKS. */
async function forBash(io: Io, [text = '', breaks = '']: readonly string[]): Promise<string[]> {
  const line = readBashLine(text, breaks);
  const found = await find(io, line.before, line.current);
  return found === 'files' ? FILES : bashReplies(line, found).map((reply) => `${reply}\n`);
}

/** zsh and fish pass unquoted words, and filter the answer themselves. */
async function forOthers(io: Io, given: readonly string[]): Promise<string[]> {
  const found = await find(io, given.slice(0, -1), given.at(-1) ?? '');
  if (found === 'files') return FILES;
  return found.map(([text, describe]) => `${text}\t${truncateLabel(describe)}\n`);
}

/** The first word is the name of the tool. */
function find({ env }: Io, [, ...before]: readonly string[], current: string): Promise<Candidates> {
  return candidates(before, current, (file) => {
    if (file === undefined) return parseDefaultFile();
    return parseFile(file.replace(/^~(?=\/)/, () => env['HOME'] ?? '~'));
  });
}

/** The default file of the current directory, or of the nearest parent directory that has one. */
async function parseDefaultFile(): Promise<ParsedFile | undefined> {
  const parsed = await parseFile(DEFAULT_FILE);
  if (parsed !== undefined || existsSync(DEFAULT_FILE)) return parsed;
  const directory = findDirectory(process.cwd());
  return directory === undefined ? undefined : parseFile(join(directory, DEFAULT_FILE));
}

/** Parses a file. Only regular files below the size limit, because a pipe could block. */
async function parseFile(file: string): Promise<ParsedFile | undefined> {
  const read = readRegular(file);
  return read.ok ? readWorkflow(read.value, file) : undefined;
}
