import type { Random } from './random.ts';

/** Texts with a meaning in shells, and texts that shells tend to lose. */
const PIECES = [
  'a',
  'bc',
  ' ',
  '  ',
  '\t',
  '\n',
  '\r',
  "'",
  '"',
  '`',
  '\\',
  '\\\n',
  '$',
  '$V',
  '${V}',
  '$(id)',
  '$((1))',
  "$'",
  '*',
  '?',
  '[a-z]',
  '~',
  '!',
  '#',
  '&',
  ';',
  '|',
  '<',
  '>',
  '(',
  ')',
  '{a,b}',
  '}',
  '-n',
  '--',
  '=',
  '%s',
  '/',
  '.',
  'EOF',
  '\nEOF\n',
  '§',
  'é',
  '日本',
  '😀',
  '\u0301',
  '\u2028',
  '\u0001',
  '\u007f',
];

/** Values that random fragments rarely produce. */
const EDGES = ['', ' ', '\n', '-n', '-', '--', '*', '\\', '"', "'", '$', '`', '!', 'a\n\n', '\n\na', '~', '#', '0'];

/** A possible value of an output: any text without NUL. */
export function randomValue(source: Random): string {
  if (source.chance(0.2)) return source.pick(EDGES);
  return Array.from({ length: 1 + source.below(12) }, () => source.pick(PIECES)).join('');
}

/** A value almost as long as Linux permits for a variable. */
export function longValue(source: Random): string {
  const text = randomValue(source) || 'x';
  return text.repeat(Math.ceil((100 * 1024) / Buffer.byteLength(text)));
}
