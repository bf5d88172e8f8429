import type { Random } from './random.ts';

/** What shells take for more than text, and what they are known to lose. */
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

/** The values that a random one seldom is. */
const EDGES = ['', ' ', '\n', '-n', '-', '--', '*', '\\', '"', "'", '$', '`', '!', 'a\n\n', '\n\na', '~', '#', '0'];

/** A value that a step can hand on: any text without the character NUL. */
export function randomValue(source: Random): string {
  if (source.chance(0.2)) return source.pick(EDGES);
  return Array.from({ length: 1 + source.below(12) }, () => source.pick(PIECES)).join('');
}

/** A value as long as Linux lets a variable be, or nearly. */
export function longValue(source: Random): string {
  const text = randomValue(source) || 'x';
  return text.repeat(Math.ceil((100 * 1024) / Buffer.byteLength(text)));
}
