import { h, type ComponentChild } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RecordedOp, RunDocument, TextEnd } from '../../../../../src/internal.ts';
import { fetchLog } from '../connection.ts';

/** A part of output with its classes, and a colour that is not one of the eight. */
type Segment = Readonly<{ text: string; classes: string; color: string | undefined }>;

const [ESC, CSI, BEL, ST] = ['\u001B', '\u009B', '\u0007', '\u009C'];

/** The control sequences of ECMA-48: CSI, strings such as OSC 8, and other escape sequences. The first group is of CSI. */
const SEQUENCE = new RegExp(
  [
    `(?:${ESC}\\[|${CSI})([\\u0030-\\u003F]*[\\u0020-\\u002F]*[\\u0040-\\u007E])`,
    `(?:${ESC}[\\]PX^_]|[\\u009D\\u0090\\u0098\\u009E\\u009F])[^${BEL}${ESC}${ST}]*(?:${BEL}|${ST}|${ESC}\\\\|$)?`,
    `${ESC}[\\u0020-\\u002F]*[\\u0030-\\u007E]?`,
  ].join('|'),
  'g',
);

/** The text of a log without what a terminal overwrites, and without control sequences, in parts of one style each. */
function parseOutput(text: string): readonly Segment[] {
  const shown = text.replaceAll('\r\n', '\n').replaceAll(/^[^\n]*\r(?=[^\n])/gm, '');
  const style = new Style();
  const segments: Segment[] = [];
  let from = 0;
  const add = (to: number): void => {
    const part = shown.slice(from, to);
    if (part !== '') segments.push({ text: part, ...style.present() });
  };
  for (const match of shown.matchAll(SEQUENCE)) {
    add(match.index);
    from = match.index + match[0].length;
    const control = match[1];
    if (control?.endsWith('m') === true && /^[\d;]*m$/.test(control)) style.apply(control.slice(0, -1));
  }
  add(shown.length);
  return segments;
}

const ATTRIBUTES: ReadonlyMap<number, string> = new Map([
  [1, 'bold'],
  [2, 'dim'],
  [3, 'italic'],
  [4, 'underline'],
]);

/** The levels of a colour in the cube of 256 colours. */
const LEVELS = [0, 95, 135, 175, 215, 255];

class Style {
  #classes = new Set<string>();
  #foreground: string | undefined;
  #color: string | undefined;

  present(): Omit<Segment, 'text'> {
    const classes = [...this.#classes, ...(this.#foreground === undefined ? [] : [this.#foreground])];
    return { classes: classes.join(' '), color: this.#color };
  }

  apply(parameters: string): void {
    const codes = parameters.split(';').map(Number);
    for (let index = 0; index < codes.length; index += 1) {
      const code = codes[index] ?? 0;
      if (code === 38 || code === 48) {
        const isRgb = codes[index + 1] === 2;
        const values = codes.slice(index + 2, index + (isRgb ? 5 : 3));
        if (code === 38) this.#setColor(isRgb ? values : rgbOf(values[0] ?? 0), isRgb ? undefined : values[0]);
        index += isRgb ? 4 : 2;
      } else this.#applyOne(code);
    }
  }

  #applyOne(code: number): void {
    const attribute = ATTRIBUTES.get(code);
    if (code === 0) this.#classes.clear();
    if (code === 0 || code === 39) [this.#foreground, this.#color] = [undefined, undefined];
    else if (attribute !== undefined) this.#classes.add(attribute);
    else if (code === 22) for (const each of ['bold', 'dim']) this.#classes.delete(each);
    else if (code === 23 || code === 24) this.#classes.delete(code === 23 ? 'italic' : 'underline');
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) {
      [this.#foreground, this.#color] = [`f${code % 10}`, undefined];
    }
  }

  #setColor(rgb: readonly number[], index: number | undefined): void {
    const isNamed = index !== undefined && index < 16;
    this.#foreground = isNamed ? `f${index % 8}` : undefined;
    this.#color = isNamed ? undefined : `rgb(${rgb.map((value) => Math.min(255, value || 0)).join(' ')})`;
  }
}

/** The colour with a number from 16 to 255. */
function rgbOf(index: number): readonly number[] {
  if (index >= 232) return [0, 0, 0].map(() => (index - 232) * 10 + 8);
  const cube = index - 16;
  return [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((level) => LEVELS[level] ?? 0);
}

const NOT_STORED = 'The output of this run is not stored. To store it, run with --logs.';

/** The maximum distance from the end at which new lines scroll the output, in pixels. */
const NEAR = 40;

type Shown = Readonly<{ run: string; path: string; log: string; isStored: boolean; version: number; lines?: number }>;

/** What decides about the output of an op: its run, the version of the run, and the number of lines. */
type OpOutput = Readonly<{ run: RunDocument; op: RecordedOp }> & Pick<Shown, 'version' | 'lines'>;

/** The end of the output of an op's last command. Workers have one output for all commands. */
export function LastOutput({ run, op: { path, commands }, ...shown }: OpOutput): ComponentChild {
  const last = commands.at(-1);
  if (last === undefined || run.remote !== undefined) return null;
  return h(Output, { run: run.id, path, log: `logs/${last.session}-${last.n}`, isStored: run.has_logs, ...shown });
}

/**
 * The end of a command's output, which follows it, at most the given number of lines. Fetched again with each version of the
 * run.
 */
export function Output({ run, path, log, isStored, version, lines = Infinity }: Shown): ComponentChild {
  const [end, setEnd] = useState<TextEnd | undefined>();
  const element = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    if (!isStored) return;
    // A lost connection is shown elsewhere; the next version tries again.
    void fetchLog(run, log).then(setEnd, () => undefined);
  }, [run, log, isStored, version]);
  useLayoutEffect(() => {
    const { current } = element;
    if (current !== null && follows.current) current.scrollTop = current.scrollHeight;
  }, [end]);
  const onScroll = (): void => {
    const { current } = element;
    if (current !== null) follows.current = current.scrollHeight - current.scrollTop - current.clientHeight < NEAR;
  };
  const all = end?.text.split('\n') ?? [];
  // The last line is empty.
  const isCut = end?.cut === true || all.length - 1 > lines;
  const parts = parseOutput(all.slice(-lines - 1).join('\n'));
  return h(
    'pre',
    { role: 'log', 'aria-label': `Output of ${path}`, tabIndex: 0, class: 'output', ref: element, onScroll },
    isStored ? '' : NOT_STORED,
    isCut ? '(only the end is shown)\n' : '',
    parts.map(({ text, classes, color }, index) =>
      classes === '' && color === undefined
        ? text
        : h('span', { key: index, class: classes, style: color === undefined ? {} : { color } }, text),
    ),
  );
}
