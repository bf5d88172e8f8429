/** A key as messages show it: without a value that was written into it by mistake, as in `TOKEN=…`. */
export function redactKey(key: string): string {
  if (/^\w{0,80}$/.test(key)) return key;
  const name = nameIn(key);
  return name.length === key.length && key.length <= 80 ? key : `${name.slice(0, 80)}…`;
}

/** The characters of names, and some that people use in them. Others may separate a name from a value. */
function nameIn(key: string): string {
  // Not a literal: V8 checks each at load, and reads tables of Unicode for its properties.
  return new RegExp(String.raw`^[\p{L}\p{N}_.$%@/-]*`, 'u').exec(key)?.[0] ?? '';
}
