/** A parameter as a word of a command line, as `readParams` reads it. */
export function paramWord([name, value]: readonly [name: string, value: string]): string {
  return `${name}:${value}`;
}
