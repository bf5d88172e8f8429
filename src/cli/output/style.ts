import { escapeForTerminal } from './escape.ts';
import { paint, type Colour } from './paint.ts';
import { fstatSync } from 'node:fs';
import type { Io } from './io.ts';
import { isTerminal } from './terminal.ts';

/** The CI service that reads standard error. */
export type Service = 'github' | 'gitlab';

/** How to render lines: in colour, with non-ASCII signs, for a CI service, and for a terminal of some width. */
export type Style = Readonly<{
  colour: boolean;
  signs: boolean;
  service: Service | undefined;
  columns: number | undefined;
}>;

/** The signs of progress lines. */
const SIGNS = { begin: '▸', good: '✓', bad: '✗', skip: '–', more: ' ', dot: '·', again: '↻' } as const;
const ASCII = {
  begin: 'cli: >',
  good: 'cli: ok',
  bad: 'cli: x',
  skip: 'cli: -',
  more: 'cli:  ',
  dot: '-',
  again: 'cli: ~',
} as const;

/** Renders the parts of a line. */
export type Styler = Readonly<{
  /** A text from the file or the system, escaped for a terminal and a CI service. */
  text: (text: string, colour?: Colour) => string;
  sign: (sign: keyof typeof SIGNS, colour?: Colour) => string;
  /** The maximum width of a line. */
  columns: number;
}>;

export function createStyler({ colour: isColoured, signs, columns = Infinity }: Style): Styler {
  const coloured = (text: string, colour: Colour): string => (isColoured ? paint(text, colour) : text);
  return {
    text: (text, colour = 'none') => coloured(escapeText(text), colour),
    sign: (sign, colour = 'none') => coloured(signs ? SIGNS[sign] : ASCII[sign], colour),
    columns,
  };
}

/**
 * A text from the file or the system, escaped, including the signs. Otherwise, the rest of a long name that the
 * terminal wraps could look like a progress line, and a dot between blanks like the one before a workflow's name.
 */
export function escapeText(text: string): string {
  return escapeForTerminal(text).replace(
    /[▸✓✗–↻]|(?<= )·(?= )/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The CI service that reads standard error; undefined if standard error is a file or a terminal. */
export function serviceOf({ env, stderr }: Io): Service | undefined {
  if (fstatSync(stderr).isFile() || isTerminal(stderr)) return undefined;
  if (env['GITHUB_ACTIONS'] === 'true') return 'github';
  return env['GITLAB_CI'] === 'true' ? 'gitlab' : undefined;
}
