import { readFileSync, statSync } from 'node:fs';
import { write } from '../backend/write.ts';
import { parseWorkflowFile, type Parsed } from '../frontend/parse.ts';
import { bashReplies, readBashLine } from './bash_line.ts';
import { candidates, type Candidates } from './candidates.ts';
import { EXIT, type Io, type Options } from './io.ts';
import { SIZE_LIMIT } from './load.ts';
import { shorten } from './shorten.ts';

/**
 * `completion words`: what could stand at the cursor, a line each. Says nothing and never fails: it would be in the
 * middle of the line that is being typed.
 */
export function words(io: Io, { words: [shell, ...given] }: Options): number {
  write(io.stdout, shell === 'bash' ? forBash(io, given) : forOthers(io, given));
  return EXIT.ok;
}

/** What stands for the names of files: a line with nothing in front of its tab. */
const FILES = ['\t\n'];

/** bash hands over its line up to the cursor, and its COMP_WORDBREAKS. */
function forBash(io: Io, [text = '', breaks = '']: readonly string[]): string[] {
  const line = readBashLine(text, breaks);
  const found = find(io, line.before, line.current);
  return found === 'files' ? FILES : bashReplies(line, found).map((reply) => `${reply}\n`);
}

/** The others hand over the words without their quotes, and choose for themselves what fits. */
function forOthers(io: Io, given: readonly string[]): string[] {
  const found = find(io, given.slice(0, -1), given.at(-1) ?? '');
  if (found === 'files') return FILES;
  return found.map(([text, describe]) => `${text}\t${shorten(describe)}\n`);
}

/** The first word is the one that the tool was called by. */
function find({ env }: Io, [, ...before]: readonly string[], current: string): Candidates {
  return candidates(before, current, (file) => parse(file.replace(/^~(?=\/)/, () => env['HOME'] ?? '~')));
}

/** What a workflow file holds, if that can be known at once: a pipe may have nothing to say for long. */
function parse(file: string): Parsed | undefined {
  try {
    const found = statSync(file);
    return found.isFile() && found.size <= SIZE_LIMIT ? parseWorkflowFile(readFileSync(file)) : undefined;
  } catch {
    // Missing, or not for us to read: there are no names then.
    return undefined;
  }
}
