import { identifier, NameTable } from './bash_words.ts';

/** The functions of the script. Identical calls share a function. */
export class FunctionTable {
  readonly #names = new NameTable();
  readonly #known = new Map<string, string>();
  readonly #texts: string[] = [];

  /** Adds a function, unless one with the same title and lines exists. Returns its name. */
  add(wanted: string, title: string, lines: readonly string[]): string {
    const body = [...(lines.length === 0 ? [':'] : lines)].map((line) => `  ${line}`).join('\n');
    const key = `${wanted}\n${title}\n${body}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = this.#names.add(`workflow_${identifier(wanted)}`);
    this.#known.set(key, name);
    this.#texts.push(`# ${title}\n${name}() {\n${body}\n}\n`);
    return name;
  }

  /** The functions, callers first. */
  get texts(): readonly string[] {
    return this.#texts.toReversed();
  }
}
