/** As much of a text as a label holds. */
const START = /^.{0,60}/u;

/** A text for a label: on one line, without controls, and cut where it is long. */
export function truncate(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  // By characters, not by halves of them.
  const start = START.exec(line)?.[0] ?? '';
  return start.length < line.length ? `${start}…` : line;
}
