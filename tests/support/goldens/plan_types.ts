import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../cli.ts';

/** The type declarations of a file, and the files of the types that it imports, by name. */
type Source = Readonly<{ declared: ReadonlyMap<string, string>; imported: ReadonlyMap<string, string> }>;

/** The declaration of the type of plans, and those of all types that it consists of, without comments. */
export function planTypes(): string {
  const sources = new Map<string, Source>();
  const sourceOf = (path: string): Source => {
    const source = sources.get(path) ?? readSource(path);
    sources.set(path, source);
    return source;
  };
  const found = new Map<string, string>();
  const waiting: { path: string; name: string }[] = [{ path: 'src/ir/plan.ts', name: 'Plan' }];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { path, name } = next;
    const { declared, imported } = sourceOf(path);
    const text = declared.get(name);
    if (text === undefined || found.has(`${path} ${name}`)) continue;
    found.set(`${path} ${name}`, text);
    for (const [word] of text.matchAll(/[A-Za-z]\w*/g)) {
      const file = declared.has(word) ? path : imported.get(word);
      if (file !== undefined) waiting.push({ path: file, name: word });
    }
  }
  return [...found.values()].map((text) => `${text}\n`).join('');
}

function readSource(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
  const imports = [...text.matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']*)';/gm)];
  const imported = imports.flatMap(([, names = '', from = '']) => {
    const file = join(dirname(path), from);
    return names.split(',').map((name) => [name.trim().replace(/^type /, ''), file] as const);
  });
  const starts = [...text.matchAll(/^(?:export )?type (\w+)/gm)];
  const declared = starts.map(({ 1: name = '', index }) => [name, declarationAt(text, index)] as const);
  return { declared: new Map(declared), imported: new Map(imported) };
}

/** The text from an offset to the next semicolon outside brackets, with white space collapsed. */
function declarationAt(text: string, start: number): string {
  let depth = 0;
  let end = start;
  for (; end < text.length && (depth > 0 || text[end] !== ';'); end += 1) {
    if ('{[('.includes(text.charAt(end))) depth += 1;
    if ('}])'.includes(text.charAt(end))) depth -= 1;
  }
  return text
    .slice(start, end)
    .replaceAll(/\s+/g, ' ')
    .replace(/^export /, '');
}
