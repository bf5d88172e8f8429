import { isSafeAt, type TemplatePart, type Use } from './shell_template.ts';

/** The places where commands expand variables, by the names of the variables. */
export class ImportedUses {
  readonly #uses = new Map<string, Use[]>();

  readonly note = (part: Exclude<TemplatePart, string>, use: Use): void => {
    const [, variable] = /^\$\{(\w+)/.exec(part.expansion) ?? [];
    if (variable !== undefined) this.add(variable, [use]);
  };

  /** Notes the uses of a called workflow that gets the value of a variable. */
  add(variable: string, uses: readonly Use[]): void {
    const known = this.of(variable);
    const added = uses.filter((use) => !known.some((each) => isSame(each, use)));
    this.#uses.set(variable, [...known, ...added]);
  }

  of(variable: string): readonly Use[] {
    return this.#uses.get(variable) ?? [];
  }

  /** Whether a command means the same with a value in a variable as with the value as text. */
  isSafe(variable: string, value: string): boolean {
    return this.of(variable).every((use) => isSafeAt(value, use));
  }
}

function isSame(one: Use, other: Use): boolean {
  return one.isQuoted === other.isQuoted && one.isSeparate === other.isSeparate;
}

/** Notes where a called workflow uses the variables in an argument. */
export function forwardUses(text: string, uses: readonly Use[], caller: ImportedUses): void {
  for (const [reference, variable = ''] of text.matchAll(/\$\{vars\.(\w+)[^}]*\}/g)) {
    caller.add(variable, reference === text ? uses : uses.map(({ isQuoted }) => ({ isQuoted, isSeparate: false })));
  }
}

/** Whether commands expand a variable. In a makefile, `sign` is `$$`. */
export function expandsVariable(text: string, variable: string, sign: '$' | '$$' = '$'): boolean {
  for (const [, signs = '', name] of text.matchAll(/(\$+)\{?(\w+)/g))
    if (name === variable && signs.endsWith(sign)) return true;
  return false;
}
