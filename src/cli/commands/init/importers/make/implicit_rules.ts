import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stemOf } from './make_text.ts';

/** The extensions of files from which make can build a program or an object file without a rule. */
const SOURCES = ['.c', '.cc', '.cpp', '.C', '.p', '.f', '.F', '.m', '.r', '.s', '.S', '.mod', '.o', '.sh', '.y', '.l'];
/** Files that make builds without a rule, and their sources. */
const BUILT_IN: readonly (readonly [pattern: RegExp, sources: readonly string[]])[] = [
  [/\.o$/, SOURCES],
  [/\.c$/, ['.y', '.l', '.w', '.web']],
  [/\.s$/, ['.c', '.cc', '.cpp', '.C', '.S', '.p', '.f', '.F', '.m', '.r']],
  [
    /\.(?:tex|dvi|info|p|r|elc|sym)$/,
    ['.texinfo', '.texi', '.txinfo', '.tex', '.w', '.web', '.y', '.l', '.el', '.def'],
  ],
  [/(?:^|\/)[^./][^.]*$/, SOURCES],
];

/** The rules that make applies to files without a recipe. */
export class ImplicitRules {
  readonly #makefile: string;
  readonly #patterns: string[] = [];

  constructor(makefile: string) {
    this.#makefile = join(makefile);
  }

  /** Adds a pattern rule, or the suffix rule `.c.o` or `.c`. Returns whether the target is one. */
  add(target: string): boolean {
    const [, suffix] = /^\.\w+(\.\w+)$/.exec(target) ?? [];
    const pattern = suffix === undefined ? target : `%${suffix}`;
    if (!pattern.includes('%')) return false;
    this.#patterns.push(pattern);
    return true;
  }

  /** The rule that makes a file; undefined if there is none. */
  ruleFor(file: string): string | undefined {
    const base = file.replace(/^.*\//s, '');
    const pattern = this.#patterns.find((each) => stemOf(each.includes('/') ? file : base, each) !== undefined);
    if (pattern !== undefined) return `the pattern rule of '${pattern}'`;
    const isBuiltIn = BUILT_IN.some(([name, sources]) => {
      const stem = file.replace(/\.[^./]*$/, '');
      return (
        name.test(file) && sources.some((source) => `${stem}${source}` !== file && this.exists(`${stem}${source}`))
      );
    });
    return isBuiltIn ? 'a rule that make has' : undefined;
  }

  pathOf(file: string): string {
    return file.startsWith('/') ? file : join(dirname(this.#makefile), file);
  }

  /** Whether a file exists. The Makefile may be a text without a file. */
  exists(file: string): boolean {
    const path = this.pathOf(file);
    return path === this.#makefile || existsSync(path);
  }
}
