import { statSync } from 'node:fs';
import { openRegular, readWhole } from '../../../../../backend/system/regular_file.ts';
import { isSecret } from '../../../../../ir/secret_names.ts';
import { SIZE_LIMIT } from '../../../../driver/read_file.ts';
import { readMakefile, type Assignment, type Statement } from './makefile_lines.ts';

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

/** Variables that change how make runs commands. */
const OF_MAKE = /^(?:\.|(?:SHELL|MAKEFLAGS)$)/;

/** The assignments of included files, undefined unless all of them exist and only set variables, none of them secret. */
export function variablesIn(paths: readonly string[], file: string): readonly Assignment[] | undefined {
  const found: Assignment[] = [];
  for (const path of paths) {
    const read = statSync(path, { throwIfNoEntry: false }) && readWhole(openRegular(path), SIZE_LIMIT);
    if (read === undefined || typeof read === 'string') return undefined;
    for (const statement of readMakefile(read.toString())) {
      const isPlain = statement.kind === 'assignment' && !statement.isConditional && !OF_MAKE.test(statement.name);
      // A workflow file is committed more often than such a file.
      if (!isPlain || isSecret(statement.name) || /\$[({]eval\b/.test(statement.value)) return undefined;
      if (whileReading(statement, file) !== undefined) return undefined;
      found.push(statement);
    }
  }
  return paths.length === 0 ? undefined : found;
}

/** The parts of a Makefile that are left out, and may add prerequisites or commands to its targets. */
export class OtherParts {
  /** The first part with a rule of a target, by the target. */
  readonly #parts = new Map<string, string>();
  #declaresPhony = false;
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
    this.#declaresPhony ||= text.includes('.PHONY');
    for (const [, targets = ''] of text.matchAll(/^([^\t\n#=:][^\n#=:]*)::?(?!=)/gm)) {
      for (const name of targets.split(/[ \t]+/)) if (!this.#parts.has(name)) this.#parts.set(name, part);
    }
    if (/^\s*(?:-?include|sinclude)\b|^[^\s#=:][^\n=:]*\$[^\n=:]*:(?!=)|\$[({]eval\b/m.test(text)) this.add(part);
    return SETTINGS.test(text);
  }

  /** Whether one of the parts may declare targets as .PHONY. */
  mayDeclarePhony(): boolean {
    return this.#unknown !== undefined || this.#declaresPhony;
  }

  /** The part that may add something to a target. */
  addingTo(name: string, hasRecipe: boolean): string | undefined {
    return this.#parts.get(name) ?? (hasRecipe ? undefined : this.#unknown);
  }
}
