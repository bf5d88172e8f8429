const [LF, CR] = [10, 13];

/** The text of an output without the line breaks at its end. A regular expression would take quadratic time. */
export function withoutEnd(output: Buffer): string {
  let end = output.length;
  while (output[end - 1] === LF) end -= output[end - 2] === CR ? 2 : 1;
  return output.toString('utf8', 0, end);
}
