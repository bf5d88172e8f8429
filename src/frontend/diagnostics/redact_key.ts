/** A key as messages show it: without a value that was written into it by mistake, as in `TOKEN=…`. */
export function redactKey(key: string): string {
  return key.length > 80 || /[=:]/.test(key) ? `${key.slice(0, 80).replace(/[=:].*/s, '')}…` : key;
}
