/** A key for messages, without any value written into it by mistake, as in `TOKEN=…`. */
export function redactKey(key: string): string {
  if (/^\w{0,80}$/.test(key)) return key;
  const name = nameIn(key);
  return name.length === key.length && key.length <= 80 ? key : `${name.slice(0, 80)}…`;
}

/** The longest prefix that may be a name. Any other character may separate a name from a value. */
function nameIn(key: string): string {
  // Not a literal: V8 parses literals at load, and would read Unicode tables for these properties.
  return new RegExp(String.raw`^[\p{L}\p{N}_.$%@/-]*`, 'u').exec(key)?.[0] ?? '';
}
