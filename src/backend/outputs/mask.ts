/** Masks secrets in a text. `longest` is the length of the longest secret. */
export type Mask = Readonly<{ apply: (text: string) => string; longest: number }>;

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
