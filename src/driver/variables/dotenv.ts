import { parse } from 'dotenv';
import { redactPath } from '../../command_line/redact.ts';
import { brokenRule, VariableName } from '../../frontend/schema/schema.ts';
import { decode } from '../../frontend/syntax/decode.ts';
import type { Variable } from '../../ir/plan.ts';
import { readRegular } from '../read_file.ts';

/** The variables of a dotenv file, and a message for each problem with it. */
export type DotenvContent = Readonly<{ vars: readonly Variable[]; problems: readonly string[] }>;

const NOTHING: DotenvContent = { vars: [], problems: [] };

/** Reads a dotenv file. A missing or empty file has no variables. */
export function readDotenv(path: string): DotenvContent {
  const file = readRegular(path);
  if (file.ok) return parseDotenv(redactPath(path), file.value);
  const [problem = ''] = file.problems;
  if (/^(?:ENOENT|it is empty)/.test(problem)) return NOTHING;
  return { vars: [], problems: [`cannot read ${redactPath(path)}: ${problem}`] };
}

/** An entry as dotenv parses it (version 18, `LINE`): a key, and a value in quotes or up to a comment. */
const ENTRY =
  /^\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:#.*)?$/gm;

/**
 * dotenv skips what it cannot parse without an error. The text between entries, their keys and their quotes are
 * therefore checked here. Messages never contain values.
 */
function parseDotenv(path: string, bytes: Buffer): DotenvContent {
  const { text: decoded, problem } = decode(bytes);
  if (problem !== undefined) return { vars: [], problems: [`${path} is not valid UTF-8`] };
  const text = decoded.replaceAll(/\r\n?/g, '\n');
  const problems = new Problems(path, text);
  let end = 0;
  for (const { index, 0: entry, 1: key = '', 2: value = '' } of text.matchAll(ENTRY)) {
    problems.checkGap(end, index);
    end = index + entry.length;
    const start = index + (entry.length - entry.trimStart().length);
    const quoted = value.trim();
    if (brokenRule(VariableName, key) !== undefined || key === '__proto__') {
      problems.add(start, 'the key is not the name of a variable that can be set');
    } else if (/^['"`]/.test(quoted) && (quoted.length < 2 || quoted.at(-1) !== quoted[0])) {
      problems.add(start, 'the value has a quote that is not closed');
    } else if (value.includes('\0')) problems.add(start, 'the value contains a NUL character');
  }
  problems.checkGap(end, text.length);
  if (problems.lines.length > 0) return { vars: [], problems: problems.lines };
  return { vars: Object.entries(parse(text)), problems: [] };
}

/** Collects the problems of a text with their line numbers. */
class Problems {
  readonly lines: string[] = [];
  readonly #path: string;
  readonly #text: string;
  /** The offset up to which line breaks have been counted, and its line. */
  #counted = { offset: 0, line: 1 };

  constructor(path: string, text: string) {
    this.#path = path;
    this.#text = text;
  }

  add(offset: number, problem: string): void {
    const { offset: from, line } = this.#counted;
    const breaks = this.#text.slice(from, offset).split('\n').length - 1;
    this.#counted = { offset, line: line + breaks };
    this.lines.push(`${this.#path}:${this.#counted.line}: ${problem}`);
  }

  /** Checks the text between entries, which may contain only blank lines and comments. */
  checkGap(from: number, to: number): void {
    for (const { index, 0: line } of this.#text.slice(from, to).matchAll(/\S.*/g)) {
      if (!line.startsWith('#')) this.add(from + index, 'not of the form KEY=value');
    }
  }
}
