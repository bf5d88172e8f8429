/** The size of a value as JSON, in bytes. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

const CUT = '…';

/** A text, or its longest start that fits, followed by `…`. Does not split characters. */
export function longestStart(text: string, fits: (text: string) => boolean): string {
  if (fits(text)) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(start(text, middle))) low = middle;
    else high = middle - 1;
  }
  return start(text, low);
}

function start(text: string, length: number): string {
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}${CUT}`;
}
