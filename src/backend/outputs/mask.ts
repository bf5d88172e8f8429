/** Masks secrets in a text. `longest` is the length of the longest secret. */
export type Mask = Readonly<{ apply: (text: string) => string; longest: number }>;

const ESC = String.fromCharCode(0x1b);
const [BEL, CSI] = [String.fromCharCode(0x07), String.fromCharCode(0x9b)];

/** Whole escape sequences (ECMA-48), and control characters except tabs. */
const CONTROLS = new RegExp(
  [
    `(?:${ESC}\\[|${CSI})[0-?]*[ -/]*[@-~]`,
    `${ESC}\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)?`,
    `${ESC}[PX^_][^${ESC}]*(?:${ESC}\\\\)?`,
    `${ESC}[ -/]*[0-~]`,
    '(?!\\t)\\p{Cc}',
  ].join('|'),
  'gu',
);

/** The text that a command prints, without escape sequences and control characters. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '');
}
