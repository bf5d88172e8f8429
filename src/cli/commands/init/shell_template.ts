import { LeftOut } from './imported.ts';
import { QuoteScanner } from './quote_scanner.ts';

/**
 * A part of a command: text, or the expansion of a variable of the other tool. `text` is the fixed value that the other
 * tool would insert, if there is one. `name` is the variable to set in the file for such an expansion. `unquoted` is the
 * expansion outside of quotes, if it differs.
 */
export type TemplatePart = string | Readonly<{ expansion: string; unquoted?: string; name?: string; text?: string }>;

/** A place where a command expands a variable: between quotes or not, and whether it begins a word. */
export type Use = Readonly<{ isQuoted: boolean; isSeparate: boolean }>;

/** A variable of the file with a fixed value, which the other tool inserts as text. */
export function inserted(name: string, value: string): TemplatePart {
  return { expansion: `\${${name}}`, name, text: value };
}

/** All arguments of the run, or a text without them. */
export function allArguments(fallback: string): TemplatePart {
  if (fallback === '') return { expansion: '$*', unquoted: '"$@"' };
  return { expansion: `\${*:-${fallback}}`, unquoted: `\${@:-${fallback}}` };
}

/** Text that can stand in `${NAME-text}`, in quotes or not. */
export const DEFAULT_TEXT = /^[\w ./:@%+,=-]*$/;

/** Text that means the same in the value of a variable as in the command. */
const WORD = /^[\w./:@%+,-]*$/;
const WORDS =
  /^(?!(?:if|then|elif|else|fi|do|done|while|until|for|case|esac|in|time|function|select)\b)[\w./:@%+,*? -]*$/;
const OPTIONS = /^-[\w./:@%+,*? =-]*$/;
const QUOTED = /^[\w ./:@%+,*?=[\](){}<>|&;!~^-]*$/;

/**
 * The command of a template. A fixed value is written as text where the shell would read the value of a variable
 * differently. `used` collects the variables that the command expands, with their values; `note` gets the places of
 * those without a fixed value.
 */
export function shellText(
  parts: readonly TemplatePart[],
  used: Map<string, string> = new Map(),
  note: (part: Exclude<TemplatePart, string>, use: Use) => void = () => undefined,
): string {
  const scanner = new QuoteScanner();
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += scanner.feed(part);
      continue;
    }
    const expansion = expansionAt(scanner, text, part);
    if (expansion === undefined) {
      if (part.text === undefined) throw new LeftOut('it inserts a value where the shell cannot expand it');
      text += scanner.feed(part.text);
      continue;
    }
    note(part, { isQuoted: scanner.context !== 'plain', isSeparate: isSeparate(text) });
    text += expansion;
    scanner.addWord();
    if (part.name !== undefined && part.text !== undefined) used.set(part.name, part.text);
  }
  return text;
}

/** The text of a template without other expansions than fixed values; undefined for any other. */
export function fixedText(parts: readonly TemplatePart[]): string | undefined {
  const texts = parts.map((part) => (typeof part === 'string' ? part : part.text));
  return texts.every((text) => text !== undefined) ? texts.join('') : undefined;
}

/** A text in single quotes for the shell. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The expansion at the end of a text; undefined where the value has to be written as text. */
function expansionAt(scanner: QuoteScanner, before: string, part: Exclude<TemplatePart, string>): string | undefined {
  const { expansion, text } = part;
  switch (scanner.context) {
    case 'plain':
      if (text !== undefined && !isPlainValue(text, isSeparate(before))) return undefined;
      return part.unquoted ?? expansion;
    case 'double':
      return text === undefined || QUOTED.test(text) ? expansion : undefined;
    case 'single':
      return text === undefined || QUOTED.test(text) ? `'"${expansion}"'` : undefined;
    case 'comment':
    case 'unclear':
    default:
      return undefined;
  }
}

/** Whether the shell reads the value of a variable in such a place as it would read the same text. */
export function isSafeAt(text: string, { isQuoted, isSeparate: separate }: Use): boolean {
  return isQuoted ? QUOTED.test(text) : isPlainValue(text, separate) && !/[*?[]/.test(text);
}

/** Whether a new word begins after a text, in a place where several words are possible. */
function isSeparate(before: string): boolean {
  return /(?:^|[\s;&|(])$/.test(before) && !/[<>]\s*$/.test(before);
}

/** Whether the shell treats the unquoted expansion of a variable as it would treat its value. */
function isPlainValue(text: string, separate: boolean): boolean {
  if (text === '') return true;
  return separate ? WORDS.test(text) || OPTIONS.test(text) : WORD.test(text);
}
