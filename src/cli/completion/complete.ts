import { write } from '../../backend/system/write.ts';
import { candidates, type Candidates, type Candidate } from './candidates.ts';
import { DEFAULT_FILE } from '../command_line/default_file.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { EXIT, type Io } from '../output/io.ts';
import { readFoundFile } from '../driver/read_found_file.ts';
import { truncateLabel } from '../../base/truncate.ts';

/**
 * A bash command line up to the cursor, unquoted but not expanded. Completion replaces only the end of the current
 * word: the text after an open quote, or after the last character of COMP_WORDBREAKS. `kept` is the text before it.
 */
type BashLine = Readonly<{ before: readonly string[]; current: string; kept: string; quote: '' | "'" | '"' }>;

/** A backslash with the character it quotes, a quoted text (possibly unterminated), blanks, or any other character. */
const PIECE = /\\([^]?)|'([^']*)('?)|"((?:\\[^]?|[^"\\])*)("?)|([ \t\n]+)|([^])/gu;

/** Parses a line. `breaks` is bash's COMP_WORDBREAKS. */
function readBashLine(line: string, breaks: string): BashLine {
  const before: string[] = [];
  let [current, kept]: [string, string] = ['', ''];
  let quote: BashLine['quote'] = '';
  for (const [, escaped = '', single = '', singleEnd, double = '', doubleEnd, space, other = ''] of line.matchAll(
    PIECE,
  )) {
    if (space !== undefined) {
      before.push(current);
      [current, kept] = ['', ''];
      continue;
    }
    if (singleEnd === '' || doubleEnd === '') {
      quote = singleEnd === '' ? "'" : '"';
      kept = current;
    }
    current += escaped + single + double.replace(/\\([$`"\\])/g, '$1') + other;
    if (other !== '' && breaks.includes(other)) kept = current;
  }
  return { before, current, kept, quote };
}

/** The text to insert for each matching candidate, quoted for its position. */
function bashReplies({ current, kept, quote }: BashLine, candidates: readonly Candidate[]): string[] {
  const matching = candidates.filter(([text]) => text.startsWith(current));
  return matching.map(([text]) => QUOTED[quote](text.slice(kept.length)));
}

/** History expansion acts on `!` inside double quotes too, so the quotes are closed around it. */
const QUOTED: Readonly<Record<BashLine['quote'], (text: string) => string>> = {
  '': (text) => text.replace(/[^\w@%+=:,./\u0080-\uFFFF-]/g, String.raw`\$&`),
  "'": (text) => text.replaceAll("'", String.raw`'\''`),
  '"': (text) => text.replace(/[$`"\\]/g, String.raw`\$&`).replaceAll('!', String.raw`"\!"`),
};

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
    if (file === undefined) return readFoundFile(DEFAULT_FILE);
    return readFoundFile(
      file.replace(/^~(?=\/)/, () => env['HOME'] ?? '~'),
      true,
    );
  });
}
