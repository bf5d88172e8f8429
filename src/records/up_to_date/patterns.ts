import { resolve } from 'node:path';
import { nameOnDisk } from '../../backend/system/name_on_disk.ts';

/**
 * A pattern of paths. `base` is the absolute path before the first wildcard, and `rest` matches paths below it; null for a
 * pattern without wildcards, which is `base` itself. `depth` is the number of names in `rest`, infinite for `**`.
 */
export type Pattern = Readonly<{
  written: string;
  excludes: boolean;
  isAbsolute: boolean;
  base: string;
  rest: RegExp | null;
  depth: number;
  /** The directories that are left out by default, but that the pattern names. */
  named: ReadonlySet<string>;
}>;

/** Directories that are left out unless a pattern names them. */
const LEFT_OUT = ['.git', 'node_modules', '.cli/runs', '.cli/state', '.cli/locks'];

/** The last directory of a path, if it is left out by default. */
export function leftOutName(path: string): string | undefined {
  return LEFT_OUT.find((name) => path === name || path.endsWith(`/${name}`));
}

/** Parses patterns, relative to a directory. */
export async function parsePatterns(written: readonly string[], directory: string): Promise<readonly Pattern[]> {
  // Most of the code for patterns is for wildcards.
  const expression = written.some(hasWildcard) ? (await import('./wildcards.ts')).wildcardExpression : undefined;
  return written.map((text) => parsePattern(text, directory, expression));
}

function parsePattern(
  written: string,
  directory: string,
  expression: ((names: readonly string[]) => RegExp) | undefined,
): Pattern {
  const excludes = written.startsWith('!');
  const text = excludes ? written.slice(1) : written;
  const isAbsolute = text.startsWith('/');
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  const first = names.findIndex(hasWildcard);
  const literal = first === -1 ? names : names.slice(0, first);
  const rest = first === -1 ? [] : names.slice(first);
  const base = nameOnDisk(resolve(directory, isAbsolute ? '/' : '.', ...literal.map(unquoted)));
  const named = new Set(LEFT_OUT.filter((name) => `/${names.join('/')}/`.includes(`/${name}/`)));
  return {
    written: text,
    excludes,
    isAbsolute,
    base,
    rest: rest.length === 0 || expression === undefined ? null : expression(rest),
    depth: rest.some((name) => name.includes('**')) ? Infinity : rest.length,
    named,
  };
}

/** Whether a name has a wildcard that no backslash quotes. */
function hasWildcard(name: string): boolean {
  return /[*?[{]/.test(name.replaceAll(/\\./gs, ''));
}

function unquoted(name: string): string {
  return name.replaceAll(/\\(.)/gs, '$1');
}

/** Whether a path is a pattern's base or below it. */
export function isBelow(base: string, path: string): boolean {
  return path === base || base === '/' || path.startsWith(`${base}/`);
}

/** The part of a path below a base; '' for the base itself. */
export function below(base: string, path: string): string {
  return path.slice(base === '/' ? 1 : base.length + 1);
}
