import { MASK } from '../../ir/secret_names.ts';

/** Masks secrets in a text. `longest` is the length of the longest secret. */
export type Mask = Readonly<{ apply: (text: string) => string; longest: number }>;

/** Minimum length of a masked line: shorter lines of a secret are common in any log. */
export const MIN_MASKED = 3;

const ESC = String.fromCharCode(0x1b);
const [BEL, CSI] = [String.fromCharCode(0x07), String.fromCharCode(0x9b)];

/** Whole escape sequences (ECMA-48). */
const SEQUENCE = [
  `(?:${ESC}\\[|${CSI})[0-?]*[ -/]*[@-~]`,
  `${ESC}\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)?`,
  `${ESC}[PX^_][^${ESC}]*(?:${ESC}\\\\)?`,
  `${ESC}[ -/]*[0-~]`,
].join('|');

const SEQUENCES = new RegExp(SEQUENCE, 'gu');

/** Escape sequences, and control characters except tabs. */
const CONTROLS = new RegExp(`${SEQUENCE}|(?!\\t)\\p{Cc}`, 'gu');

/** The text that a command prints, without escape sequences and control characters. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '');
}

/** A text without escape sequences. */
export function withoutSequences(text: string): string {
  return text.replace(SEQUENCES, '');
}

/** A longer text is masked as pieces of this length, so that the time for a text does not depend on it. */
const PIECE = 64;

/**
 * Masks values in texts: whole values, and each line of a multi-line value. Values are not made into a pattern, whose size
 * has a limit.
 */
export class ValueMask implements Mask {
  readonly #pieces = new Set<string>();
  /** The lengths of the pieces by their first characters, longest first. */
  readonly #lengths = new Map<string, readonly number[]>();
  readonly #starts = new Uint8Array(2 ** 16);
  longest = 0;

  /** Masks a value from now on, with its control characters and without them. */
  hide(value: string): void {
    const raw = value.split(/\r\n|\r|\n/);
    for (const form of [raw, raw.map(withoutControls)]) {
      const lines = form.map((line) => line.trim());
      for (const text of [lines.join('\n').trim(), ...lines]) {
        if (text.length < MIN_MASKED) continue;
        this.longest = Math.max(this.longest, Buffer.byteLength(text));
        const lastStart = Math.max(0, text.length - PIECE);
        for (let start = 0; start < text.length; start += PIECE)
          this.#add(text.slice(Math.min(start, lastStart)).slice(0, PIECE));
      }
    }
  }

  /** Values that overlap or touch have one mask. */
  readonly apply = (text: string): string => {
    if (this.#pieces.size === 0) return text;
    let masked = '';
    let end = -1;
    for (let at = 0; at + MIN_MASKED <= text.length; at += 1) {
      const length = this.#starts[hashOf(text, at)] === 0 ? undefined : this.#lengthAt(text, at);
      if (length === undefined) continue;
      if (at > end) masked += `${text.slice(Math.max(end, 0), at)}${MASK}`;
      end = Math.max(end, at + length);
    }
    return masked + text.slice(Math.max(end, 0));
  };

  /** The length of the longest piece at an offset of a text. */
  #lengthAt(text: string, at: number): number | undefined {
    const lengths = this.#lengths.get(text.slice(at, at + MIN_MASKED));
    return lengths?.find((length) => this.#pieces.has(text.slice(at, at + length)));
  }

  #add(piece: string): void {
    if (this.#pieces.has(piece)) return;
    this.#pieces.add(piece);
    this.#starts[hashOf(piece, 0)] = 1;
    const start = piece.slice(0, MIN_MASKED);
    const lengths = new Set([...(this.#lengths.get(start) ?? []), piece.length]);
    this.#lengths.set(
      start,
      [...lengths].toSorted((one, other) => other - one),
    );
  }
}

/** A place in some bytes, at or after another one, at which neither a secret nor a character is split. */
export function splitAt(bytes: Buffer, at: number, mask: Mask): number {
  const masked = (from: number, to: number): string => mask.apply(bytes.toString('utf8', from, to));
  const isInCharacter = (place: number): boolean => ((bytes[place] ?? 0) & 0xc0) === 0x80;
  for (let place = at; place < bytes.length; place += 1 + Math.floor((place - at) / 4)) {
    while (isInCharacter(place)) place += 1;
    if (masked(0, place) + masked(place, bytes.length) === masked(0, bytes.length)) return place;
  }
  return bytes.length;
}

/** A number for the first characters of a piece, which tells most other texts apart. */
function hashOf(text: string, at: number): number {
  return (text.charCodeAt(at) + 31 * text.charCodeAt(at + 1) + 997 * text.charCodeAt(at + 2)) & 0xffff;
}
