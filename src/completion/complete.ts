import { readFileSync, statSync } from 'node:fs';
import { write } from '../backend/system/write.ts';
import { readWorkflowFile, type ParsedFile } from '../frontend/parse.ts';
import { bashReplies, readBashLine } from './bash_line.ts';
import { candidates, type Candidates } from './candidates.ts';
import type { Options } from '../command_line/parse.ts';
import { EXIT, type Io } from '../output/io.ts';
import { SIZE_LIMIT } from '../driver/load.ts';
import { truncateLabel } from '../truncate.ts';

/**
 * `completion words`: what could stand at the cursor, a line each. Says nothing and never fails: it would be in the
 * middle of the line that is being typed.
 */
export async function complete(io: Io, { words: [shell, ...given] }: Options): Promise<number> {
  write(io.stdout, await (shell === 'bash' ? forBash(io, given) : forOthers(io, given)));
  return EXIT.ok;
}

/** What stands for the names of files: a line with nothing in front of its tab. */
const FILES = ['\t\n'];

/** bash hands over its line up to the cursor, and its COMP_WORDBREAKS. */
async function forBash(io: Io, [text = '', breaks = '']: readonly string[]): Promise<string[]> {
  const line = readBashLine(text, breaks);
  const found = await find(io, line.before, line.current);
  return found === 'files' ? FILES : bashReplies(line, found).map((reply) => `${reply}\n`);
}

/** The others hand over the words without their quotes, and choose for themselves what fits. */
async function forOthers(io: Io, given: readonly string[]): Promise<string[]> {
  const found = await find(io, given.slice(0, -1), given.at(-1) ?? '');
  if (found === 'files') return FILES;
  return found.map(([text, describe]) => `${text}\t${truncateLabel(describe)}\n`);
}

/** The first word is the one that the tool was called by. */
function find({ env }: Io, [, ...before]: readonly string[], current: string): Promise<Candidates> {
  return candidates(before, current, (file) => parse(file.replace(/^~(?=\/)/, () => env['HOME'] ?? '~')));
}

/** What a workflow file holds, if that can be known at once: a pipe may have nothing to say for long. */
async function parse(file: string): Promise<ParsedFile | undefined> {
  try {
    const found = statSync(file);
    return found.isFile() && found.size <= SIZE_LIMIT ? await readWorkflowFile(readFileSync(file)) : undefined;
  } catch {
    // Missing, or not for us to read: there are no names then.
    return undefined;
  }
}
