import { statSync } from 'node:fs';
import { openRegular, readWhole } from '../../../../../backend/system/regular_file.ts';
import { SIZE_LIMIT } from '../../../../driver/read_file.ts';
import type { Statement } from './makefile_lines.ts';

/** Commands that are run for what they change, not for what they print. */
const CHANGES =
  /(?:^|[\s;&|(])(?:mkdir|touch|cp|mv|rm|ln|install|tar|unzip|curl|wget|chmod|git (?:clone|submodule|config|fetch|checkout|init)|go (?:get|install|generate|mod))\s|>\s*(?!&|\/dev\/null)[\w.$/]/;

/** Settings that hold for the recipes of the including file, too. */
const SETTINGS =
  /^(?:(?:override\s+)?(?:SHELL|\.SHELLFLAGS|\.RECIPEPREFIX|MAKEFLAGS)\s*[:+?!]?=|\.(?:ONESHELL|EXPORT_ALL_VARIABLES|IGNORE|POSIX|SECONDEXPANSION)\s*:|(?:un)?export\b)/m;

/** Why no command can be converted: make runs a command, or may stop, while it reads the file. */
export function whileReading(statement: Statement, file: string): string | undefined {
  if (statement.kind === 'rule') return undefined;
  const isAssignment = statement.kind === 'assignment';
  if (isAssignment && !/^(?::+|!)=$/.test(statement.operator)) return undefined;
  const text = isAssignment ? statement.value : statement.text;
  if (/\$[({]error\b/.test(text)) return `make may stop while it reads '${text}'`;
  const runs = /\$[({]shell\b/.test(text) || (isAssignment && statement.operator === '!=');
  if (!runs) return undefined;
  const isForOutput = isAssignment ? isUsed(statement.name, file) : /^(?:-?include|sinclude)\b/.test(text);
  return isForOutput && !CHANGES.test(text) ? undefined : `make runs a command while it reads '${text}'`;
}

function isUsed(name: string, file: string): boolean {
  return file.includes(`$(${name}`) || file.includes(`\${${name}`) || (name.length === 1 && file.includes(`$${name}`));
}

/** The parts of a Makefile that are left out, and may add prerequisites or commands to its targets. */
export class OtherParts {
  readonly #texts = new Map<string, string>();
  #unknown: string | undefined;

  /** Adds a part with unknown rules. */
  add(part: string): void {
    this.#unknown ??= part;
  }

  /** Adds an included file. Returns whether it changes how commands run. A missing file has no rules. */
  addFile(part: string, path: string): boolean {
    const file = statSync(path, { throwIfNoEntry: false });
    const read = file === undefined ? '' : readWhole(openRegular(path), SIZE_LIMIT);
    const text = typeof read === 'string' ? '' : read.toString();
    const isMissing = file === undefined && !part.startsWith('include') && !/[*?[]/.test(path);
    if (typeof read === 'string' && !isMissing) this.add(part);
    this.#texts.set(part, `${this.#texts.get(part) ?? ''}\n${text}`);
    if (/^\s*(?:-?include|sinclude)\b|^[^\s#=:][^\n=:]*\$[^\n=:]*:(?!=)|\$[({]eval\b/m.test(text)) this.add(part);
    return SETTINGS.test(text);
  }

  /** Whether one of the parts may declare targets as .PHONY. */
  mayDeclarePhony(): boolean {
    return this.#unknown !== undefined || [...this.#texts.values()].some((text) => text.includes('.PHONY'));
  }

  /** The part that may add something to a target. */
  addingTo(name: string, hasRecipe: boolean): string | undefined {
    const escaped = name.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
    const rule = new RegExp(String.raw`^(?:[^\t\n#=:][^\n#=:]*[ \t]|)${escaped}(?:[ \t][^\n=:]*)?::?(?!=)`, 'm');
    const found = [...this.#texts].find(([, text]) => rule.test(text));
    return found?.[0] ?? (hasRecipe ? undefined : this.#unknown);
  }
}
