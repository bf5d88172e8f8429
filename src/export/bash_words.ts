import { dollarQuote, hasHidden, octalHidden } from '../base/hidden_characters.ts';

/** Hidden characters that stand in scripts as they are. */
const KEPT = '\n\t';

/** A text as a bash word, quoted if necessary. */
export function quote(text: string): string {
  if (/^[\w./:=@%+-]+$/.test(text)) return text;
  // shellcheck treats a backslash before a quote as an escape.
  if (hasHidden(text.replaceAll(/[\n\t]/g, '')) || text.includes("\\'")) return dollarQuote(text, KEPT);
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** An expansion of a variable with a fallback, as a part of a word. */
export function expand(variable: string, fallback: string): string {
  const escaped = fallback.replaceAll(/["$\\`]/g, String.raw`\$&`);
  return `"\${${variable}-${octalHidden(escaped, (octal) => `$'${octal}'`, KEPT)}}"`;
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
