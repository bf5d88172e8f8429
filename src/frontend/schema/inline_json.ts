/** A value as JSON on one line, with blanks as in a file. */
export function inlineJson(value: unknown): string {
  return JSON.stringify(value, undefined, 1)
    .replaceAll(/\n */g, ' ')
    .replaceAll(/\[ | \]/g, (sign) => sign.trim());
}
