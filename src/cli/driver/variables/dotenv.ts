import { parse } from 'dotenv';
import { saysMissing } from '../../../backend/system/try_system_call.ts';
import { redactPath } from '../../command_line/redact.ts';
import { brokenRule, VariableName } from '../../../frontend/schema/schema.ts';
import { decode } from '../../../frontend/syntax/decode.ts';
import { LineIndex } from '../../../frontend/syntax/line_index.ts';
import type { Variable } from '../../../ir/plan.ts';
import { readRegular, type FileBytes } from '../read_file.ts';

/** The variables of a dotenv file, and a message for each problem with it. */
export type DotenvContent = Readonly<{ vars: readonly Variable[]; problems: readonly string[] }>;

/** The parser of dotenv that takes linear time. */
const FAST = { fast: true } as const;

/** The maximum number of problems reported per file. */
const PROBLEM_LIMIT = 1000;

const NOTHING: DotenvContent = { vars: [], problems: [] };

/** Reads a dotenv file. A missing or empty file has no variables. */
export function readDotenv(path: string, read: (path: string) => FileBytes = readRegular): DotenvContent {
  const file = read(path);
  if (file.ok) return parseDotenv(redactPath(path), file.value);
  const [problem = ''] = file.problems;
  if (saysMissing(problem) || problem === 'it is empty') return NOTHING;
  return { vars: [], problems: [`cannot read ${redactPath(path)}: ${problem}`] };
}

/** An entry of a dotenv file. `value` is as written, with its quotes. `end` is the offset after it. */
type Entry = Readonly<{ start: number; key: string; value: string; end: number }>;

/** Sticky patterns: each is matched at one offset, and none scans a part of the text more often than a few times. */
const BLANK = /\s*/y;
const REST_OF_LINE = /.*/y;
const KEY = /(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)/y;
const QUOTE = /\s*(['"`])/y;
const UNQUOTED = /[^#\n]*/y;
const AFTER_QUOTE = /[^\S\n\u2028\u2029]*(?=[#\n\u2028\u2029]|(?![^]))/y;

/**
 * Yields the entries as dotenv (version 18) finds them, in linear time: its pattern begins again at each blank line. A
 * value is in quotes, or ends before a comment. Spaces between the parts of an entry may be line breaks.
 */
function* entriesIn(text: string): Generator<Entry> {
  for (let start = endOf(BLANK, text, 0); start < text.length; start = endOf(BLANK, text, start)) {
    KEY.lastIndex = start;
    const [head = '', key = ''] = KEY.exec(text) ?? [];
    const from = start + head.length;
    const end = head === '' ? start : (endOfQuoted(text, from) ?? endOf(UNQUOTED, text, from));
    if (head !== '') yield { start, key, value: text.slice(from, end), end };
    start = endOf(REST_OF_LINE, text, end);
  }
}

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

/**
 * The end of a value in quotes, which nothing but a comment follows on its line; undefined if there is none. It ends at
 * the first quote without a backslash, or else at the last one with a backslash.
 */
function endOfQuoted(text: string, from: number): number | undefined {
  QUOTE.lastIndex = from;
  const quote = QUOTE.exec(text)?.[1];
  if (quote === undefined) return undefined;
  let end: number | undefined;
  let at = text.indexOf(quote, QUOTE.lastIndex);
  while (at !== -1) {
    AFTER_QUOTE.lastIndex = at + 1;
    if (AFTER_QUOTE.test(text)) end = at + 1;
    if (text[at - 1] !== '\\') break;
    at = text.indexOf(quote, at + 1);
  }
  return end;
}

/**
 * dotenv skips what it cannot parse without an error. The text between entries, their keys and their quotes are
 * therefore checked here. Messages never contain values.
 */
function parseDotenv(path: string, bytes: Buffer): DotenvContent {
  const { text: decoded, problem } = decode(bytes);
  if (problem !== undefined) return { vars: [], problems: [`${path} is not valid UTF-8`] };
  const text = decoded.replaceAll(/\r\n?/g, '\n');
  const lines = new LineIndex(text);
  const problems: string[] = [];
  let count = 0;
  const add = (offset: number, mistake: string): void => {
    count += 1;
    if (count <= PROBLEM_LIMIT) problems.push(`${path}:${lines.position(offset).line}: ${mistake}`);
  };
  /** Checks the text between entries, which may contain only blank lines and comments. */
  const checkGap = (from: number, to: number): void => {
    for (const { index, 0: line } of text.slice(from, to).matchAll(/\S.*/g))
      if (!line.startsWith('#')) add(from + index, 'not of the form KEY=value');
  };
  let end = 0;
  for (const { start, key, value, end: next } of entriesIn(text)) {
    checkGap(end, start);
    end = next;
    const quoted = value.trim();
    if (brokenRule(VariableName, key) !== undefined || key === '__proto__') {
      add(start, 'the key is not the name of a variable that can be set');
    } else if (/^['"`]/.test(quoted) && (quoted.length < 2 || quoted.at(-1) !== quoted[0])) {
      add(start, 'the value has a quote that is not closed');
    } else if (/[\u2028\u2029]['"`]/.test(value) && !/^['"`]/.test(quoted)) {
      // dotenv looks for the other quote from each of these.
      add(start, 'the value has a quote after a line separator');
    } else if (value.includes('\0')) add(start, 'the value contains a NUL character');
  }
  checkGap(end, text.length);
  if (count === 0) return { vars: Object.entries(parse(text, FAST)), problems };
  if (count > PROBLEM_LIMIT) problems.push(`${path}: and ${count - PROBLEM_LIMIT} more problems`);
  return { vars: [], problems };
}
