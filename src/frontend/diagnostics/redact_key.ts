/** The characters of names, and some that people use in them. Others may separate a name from a value. */
const NAME = /^[\p{L}\p{N}_.$%@/-]*/u;

/** A key as messages show it: without a value that was written into it by mistake, as in `TOKEN=…`. */
export function redactKey(key: string): string {
  const [name = ''] = NAME.exec(key) ?? [];
  return name.length === key.length && key.length <= 80 ? key : `${name.slice(0, 80)}…`;
}
