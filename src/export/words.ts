/**
 * Characters that terminals and editors do not display: control characters except line breaks and tabs, bidirectional
 * controls, and separators.
 */
const HIDDEN = /(?![\n\t])[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u;
const ALL_HIDDEN = new RegExp(HIDDEN, 'gu');

/** A text as a bash word, quoted if necessary. */
export function quote(text: string): string {
  if (/^[\w./:=@%+-]+$/.test(text)) return text;
  // shellcheck treats a backslash before a quote as an escape.
  if (HIDDEN.test(text) || text.includes("\\'")) return quoteHidden(text);
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function quoteHidden(text: string): string {
  return `$'${text.replaceAll(/[\\']/g, String.raw`\$&`).replaceAll(ALL_HIDDEN, octal)}'`;
}

/** A character in octal, because `\u` depends on the locale. */
function octal(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/** An expansion of a variable with a fallback, as a part of a word. */
export function expand(variable: string, fallback: string): string {
  const escaped = fallback.replaceAll(/["$\\`]/g, String.raw`\$&`);
  return `"\${${variable}-${escaped.replaceAll(ALL_HIDDEN, (character) => `$'${octal(character)}'`)}}"`;
}

/** A text as a part of a function or variable name. */
export function identifier(text: string): string {
  return text.replaceAll(/\W/g, '_');
}

/** Generates unique names by appending a number to names already in use. */
export class NameTable {
  readonly #taken = new Set<string>();

  add(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number += 1) name = `${wanted}_${number}`;
    this.#taken.add(name);
    return name;
  }
}

/** Milliseconds as seconds for sleep(1). */
export function seconds(milliseconds: number): string {
  return String(milliseconds / 1000);
}
