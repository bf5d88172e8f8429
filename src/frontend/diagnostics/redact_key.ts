/** A key as a message shows it: somebody may have written a secret into it, as in `TOKEN=…`. */
export function redactKey(key: string): string {
  return key.length > 80 || /[=:]/.test(key) ? `${key.slice(0, 80).replace(/[=:].*/s, '')}…` : key;
}
