import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from './cli.ts';

/** Comments and string literals. */
const TEXT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** A source with spaces in place of comments and the contents of strings. */
export function withoutText(source: string): string {
  return source.replaceAll(TEXT, blanks);
}

/** A source with spaces in place of comments. */
export function withoutComments(source: string): string {
  return source.replaceAll(TEXT, (text) => (text.startsWith('/') ? blanks(text) : text));
}

function blanks(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}

export interface Import {
  readonly from: string;
  /** The path of a file from the directory, or the name of a package or built-in module. */
  readonly target: string;
  readonly typesOnly: boolean;
}

/** A directory with its TypeScript files, by their path in it, and their imports. */
type Tree = Readonly<{ directory: string; sources: ReadonlyMap<string, string>; imports: readonly Import[] }>;

/** The TypeScript files in a directory of the repository. */
export function readTree(directory: string): Tree {
  const path = join(ROOT, directory);
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const sources = new Map(files.map((name) => [name, readFileSync(join(path, name), 'utf8')]));
  return { directory, sources, imports: [...sources].flatMap(([name, text]) => importsOf(path, name, text)) };
}

function importsOf(root: string, from: string, text: string): Import[] {
  const atStart = text.matchAll(/^(?:import|export)\s([^;]*?\sfrom\s+)?'([^']+)';/gm);
  const onUse = withoutComments(text).matchAll(/()\bimport\('([^']+)'\)/g);
  return [...atStart, ...onUse].map(([, clause = '', named = '']) => ({
    from,
    target: named.startsWith('.') ? relative(root, join(root, dirname(from), named)) : named,
    typesOnly: isTypesOnly(clause),
  }));
}

/** `type { … }`, or braces in which every name has its own `type`. */
function isTypesOnly(clause: string): boolean {
  if (/^type\s/.test(clause)) return true;
  const names =
    /^\{([^}]*)\}/
      .exec(clause)?.[1]
      ?.split(',')
      .map((name) => name.trim()) ?? [];
  const given = names.filter((name) => name !== '');
  return given.length > 0 && given.every((name) => name.startsWith('type '));
}

/** True for a file of the same directory. */
export function isOurs({ target }: Import): boolean {
  return target.endsWith('.ts') && !target.startsWith('..');
}

/** The files that are part of an import cycle, or import one that is. */
export function filesInCycles({ sources, imports }: Pick<Tree, 'sources' | 'imports'>): readonly string[] {
  const targets = new Map([...sources.keys()].map((path) => [path, new Set<string>()]));
  for (const { from, target } of imports) targets.get(from)?.add(target);
  for (let free = true; free;) {
    free = false;
    for (const [path, rest] of targets) {
      if ([...rest].some((target) => targets.has(target))) continue;
      targets.delete(path);
      free = true;
    }
  }
  return [...targets.keys()];
}
