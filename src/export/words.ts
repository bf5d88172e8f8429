/**
 * Characters that a terminal or an editor does not show as they are: control characters but the line break and the
 * tabulator, bidirectional controls, and separators.
 */
const HIDDEN = /(?![\n\t])[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u;
const ALL_HIDDEN = new RegExp(HIDDEN, 'gu');

/** A text as a word of bash, in quotes where it needs them. */
export function quote(text: string): string {
  if (/^[\w./:=@%+-]+$/.test(text)) return text;
  // shellcheck takes a backslash before a quote for an escape.
  if (HIDDEN.test(text) || text.includes("\\'")) return quoteHidden(text);
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** In octal, because `\u` depends on the locale. */
function quoteHidden(text: string): string {
  const escaped = text.replaceAll(/[\\']/g, String.raw`\$&`).replaceAll(ALL_HIDDEN, (character) => {
    return Array.from(Buffer.from(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  });
  return `$'${escaped}'`;
}

/** A variable with a text to use if it is not set, as a part of a word. */
export function expand(variable: string, otherwise: string): string {
  return `"\${${variable}-${otherwise.replaceAll(/["$\\`]/g, String.raw`\$&`)}}"`;
}

/** A text as a part of the name of a function or variable. */
export function identifier(text: string): string {
  return text.replaceAll(/\W/g, '_');
}

/** Gives names that nothing else has: with a number where the name is taken. */
export class NameTable {
  readonly #taken = new Set<string>();

  add(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number += 1) name = `${wanted}_${number}`;
    this.#taken.add(name);
    return name;
  }
}

/** The raw text of a template; `${` and backquotes need a backslash. */
export function bash({ raw }: TemplateStringsArray): string {
  return raw.join('').replaceAll(/\\([$`])/g, '$1');
}

/** Milliseconds as seconds for sleep(1). */
export function seconds(milliseconds: number): string {
  return String(milliseconds / 1000);
}
