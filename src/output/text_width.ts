/** What takes two columns of a terminal: East Asian letters (UAX #11, by its blocks), and emoji. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;

/** What takes none: marks over and under others, and what only joins or divides. */
const NONE = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** The sequences that we colour texts with; what is shown holds no other control characters. */
const PAINT = /\p{Cc}\[\d*m/gu;

/** How much further in a line goes on. */
const INDENT = '    ';

/** How many columns of a terminal a text takes, as near as can be known without asking it. */
export function widthOf(text: string): number {
  const plain = text.replaceAll(PAINT, '');
  if (/^[ -~]*$/.test(plain)) return plain.length;
  return Array.from(plain, widthOfCharacter).reduce((sum, width) => sum + width, 0);
}

function widthOfCharacter(character: string): number {
  if (NONE.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** As much of a text as so many columns hold, and a sign where something is missing. */
export function truncateEnd(text: string, columns: number): string {
  return widthOf(text) <= columns ? text : `${start(text, columns - 1).trimEnd()}…`;
}

/** The same for a name: many differ only in how they end, so that is kept too. */
export function truncateMiddle(name: string, columns: number): string {
  if (widthOf(name) <= columns) return name;
  const last = start(Array.from(name).toReversed(), Math.floor((columns - 1) / 3));
  return `${start(name, columns - 1 - widthOf(last))}…${Array.from(last).toReversed().join('')}`;
}

/** The first characters that fit into so many columns. */
function start(characters: Iterable<string>, columns: number): string {
  let text = '';
  for (const character of characters) {
    if (widthOf(text + character) > columns) break;
    text += character;
  }
  return text;
}

/** A name and a text that share so many columns: the name is cut first, but not to less than a half or what is given. */
export function fitPair(
  columns: number,
  name: string,
  text: string,
  least = columns / 2,
): [name: string, text: string] {
  const squeezed = truncateMiddle(name, Math.max(columns - widthOf(text), Math.floor(least)));
  return [squeezed, truncateEnd(text, columns - widthOf(squeezed))];
}

/** A text in lines of so many columns, broken at blanks; a word that is wider has a line of its own. */
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

/** Lines that are wider than a terminal go on in the next one, further in. */
export function wrapIndented(lines: readonly string[], columns = Infinity): string[] {
  return lines.flatMap((line) => {
    if (widthOf(line) <= columns) return [line];
    return wrap(line, columns - INDENT.length).map((part, index) => `${index === 0 ? '' : INDENT}${part}`);
  });
}
