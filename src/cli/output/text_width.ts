/*
 * The patterns are in functions because V8 reads Unicode tables when it compiles them, and most commands need none. In
 * the bundle, esbuild replaces these literals by calls of RegExp.
 */

/** Characters that are two columns wide: East Asian characters (UAX #11, by blocks) and emoji. */
function wide(): RegExp {
  return /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;
}

/** Characters without a width: combining marks and format characters. */
function zeroWidth(): RegExp {
  return /[\p{Mn}\p{Me}\p{Cf}]/u;
}

/**
 * A flag, an emoji with its modifiers and joined emoji (UTS #51), or any other code point. U+FE0F selects the emoji
 * presentation of a character, and U+FE0E its text presentation. U+20E3 is the enclosing keycap. U+200D joins emoji.
 */
function cluster(): RegExp {
  return /\p{Regional_Indicator}{2}|\p{Emoji}(?:\p{Emoji_Modifier}|[\uFE0E\uFE0F]\u20E3?)?(?:\u200D\p{Emoji}(?:\p{Emoji_Modifier}|\uFE0F)?)*|[^]/gu;
}

/** The colour sequences of `paint.ts`. Escaped text contains no other control characters. */
function sgr(): RegExp {
  return /\p{Cc}\[\d*m/gu;
}

/** The colours at the beginning of a line, and its indentation. */
function beginning(): RegExp {
  return /^((?:\p{Cc}\[\d*m)*)( *)/u;
}

/** The indentation of a continuation line. */
const INDENT = '    ';

/** The width of a text at a terminal, in columns. Old terminals may differ for rare characters. */
export function widthOf(text: string): number {
  if (isAscii(text)) return text.length;
  const plain = text.replaceAll(sgr(), '');
  if (isAscii(plain)) return plain.length;
  return clusters(plain).reduce((sum, cluster) => sum + clusterWidth(cluster), 0);
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

function clusters(text: string): string[] {
  return text.match(cluster()) ?? [];
}

function clusterWidth(text: string): number {
  if (text.endsWith('\uFE0E')) return 1;
  const [first = ''] = text;
  // A sequence of code points is an emoji.
  if (text.length > first.length) return 2;
  if (zeroWidth().test(first)) return 0;
  return wide().test(first) ? 2 : 1;
}

/** A text truncated to `columns`, with `…` in place of its end. */
export function truncateEnd(text: string, columns: number): string {
  return widthOf(text) <= columns
    ? text
    : `${fitting(clusters(text), columns - 1)
        .join('')
        .trimEnd()}…`;
}

/** A name truncated to `columns`, with `…` in place of its middle, since long names often differ only at their ends. */
export function truncateMiddle(name: string, columns: number): string {
  if (widthOf(name) <= columns) return name;
  const all = clusters(name);
  const tail = fitting(all.toReversed(), Math.floor((columns - 1) / 3))
    .toReversed()
    .join('');
  return `${fitting(all, columns - 1 - widthOf(tail)).join('')}…${tail}`;
}

/** The first clusters that fit into `columns`. */
function fitting(all: readonly string[], columns: number): readonly string[] {
  let left = columns;
  const end = all.findIndex((cluster) => {
    left -= clusterWidth(cluster);
    return left < 0;
  });
  return end === -1 ? all : all.slice(0, end);
}

/** Fits a name and a text into `columns`. The name is truncated first, but not below half of them. */
export function fitPair(columns: number, name: string, text: string): [name: string, text: string] {
  const fitted = truncateMiddle(name, Math.max(columns - widthOf(text), Math.floor(columns / 2)));
  return [fitted, truncateEnd(text, columns - widthOf(fitted))];
}

/** Breaks a text at blanks into lines of at most `columns`. A wider word gets its own line. */
export function wrap(text: string, columns: number): string[] {
  if (widthOf(text) <= columns) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(longer) > columns) lines.push(line);
    line = line !== '' && widthOf(longer) > columns ? word : longer;
  }
  return [...lines, line];
}

/** Lines of at most `columns`; continuation lines are indented. */
export function wrapIndented(lines: readonly string[], columns = Infinity): string[] {
  return lines.flatMap((line) => {
    if (widthOf(line) <= columns) return [line];
    return wrap(line, columns - INDENT.length).map((part, index) => `${index === 0 ? '' : INDENT}${part}`);
  });
}

/** A line that ends with a command of the tool, which a user may copy. */
const COMMAND = /^(.*?:) (cli .*)$/;

/**
 * A line as lines of at most `columns`, with its indentation, and continuation lines indented further. A command of the
 * tool at its end is not broken.
 */
export function wrapLine(line: string, columns: number): string[] {
  if (widthOf(line) <= columns) return [line];
  const [start = '', colours = '', indent = ''] = beginning().exec(line) ?? [];
  const text = line.slice(start.length);
  const [, before = text, command] = COMMAND.exec(text) ?? [];
  const parts = wrapIndented([before], columns - indent.length);
  const lines = [...parts, ...(command === undefined ? [] : [INDENT + command])];
  return lines.map((part, index) => `${index === 0 ? colours : ''}${indent}${part}`);
}
