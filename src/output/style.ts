import { escapeForTerminal } from './escape.ts';

/** The CI service whose log standard error goes to. */
export type Service = 'github' | 'gitlab';

/** How lines are rendered: in colour, with signs beyond ASCII, for a CI service, `columns` wide at a terminal. */
export type Style = Readonly<{
  colour: boolean;
  signs: boolean;
  service: Service | undefined;
  columns: number | undefined;
}>;

/** The signs that lines of ours begin with or hold. */
const SIGNS = { begin: '▸', good: '✓', bad: '✗', skip: '–', more: ' ', dot: '·', most: '≤', again: '↻' } as const;
const ASCII = {
  begin: 'cli: >',
  good: 'cli: ok',
  bad: 'cli: x',
  skip: 'cli: -',
  more: 'cli:  ',
  dot: '-',
  most: '<=',
  again: 'cli: ~',
} as const;

/** SGR parameters (ECMA-48, 8.3.117) that can be read on a bright and on a dark background. */
const COLOURS = { bold: '1', faint: '2', red: '31', green: '32', none: '' } as const;

export type Colour = keyof typeof COLOURS;

/** Makes texts into parts of a line for people. */
export type Styler = Readonly<{
  /** A text from the file or the system, with nothing in it that a terminal or a CI service obeys. */
  text: (text: string, colour?: Colour) => string;
  sign: (sign: keyof typeof SIGNS, colour?: Colour) => string;
  /** The columns that a line may take. */
  columns: number;
}>;

export function createStyler({ colour: isColoured, signs, columns = Infinity }: Style): Styler {
  const paint = (text: string, colour: Colour): string =>
    isColoured && colour !== 'none' ? `\x1b[${COLOURS[colour]}m${text}\x1b[0m` : text;
  return {
    text: (text, colour = 'none') => paint(escapeText(text), colour),
    sign: (sign, colour = 'none') => paint(signs ? SIGNS[sign] : ASCII[sign], colour),
    columns,
  };
}

/**
 * A text from the file or the system as it is shown, also with our signs as escapes: where a terminal wraps a long
 * name, its second half would look like a line of ours. A dot between blanks would look like the one before the name
 * of a workflow.
 */
export function escapeText(text: string): string {
  return escapeForTerminal(text).replace(
    /[▸✓✗–≤↻]|(?<= )·(?= )/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A duration for people. */
export function formatElapsed(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const [minutes, seconds] = [Math.floor(ms / 60_000), Math.floor(ms / 1000) % 60];
  return minutes < 60 ? `${minutes} min ${seconds} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `1 step`, `2 steps`. */
export function countSteps(count: number): string {
  return `${count} step${count === 1 ? '' : 's'}`;
}
