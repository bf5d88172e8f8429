/** A part of output with its classes, and a colour that is not one of the eight. */
export type Segment = Readonly<{ text: string; classes: string; color: string | undefined }>;

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
export function parseOutput(text: string): readonly Segment[] {
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
