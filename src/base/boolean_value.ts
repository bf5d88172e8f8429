/** Parses the value of a boolean input. Empty is false. Undefined if the text is neither true nor false. */
export function booleanValue(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (['true', 'yes', 'y', 'on', '1'].includes(word)) return true;
  return ['false', 'no', 'n', 'off', '0', ''].includes(word) ? false : undefined;
}

/** Whether a variable of an environment is unset, empty, `0` or `false`. */
export function isOff(env: Readonly<Record<string, string | undefined>>, name: string): boolean {
  return ['', '0', 'false'].includes(env[name] ?? '');
}
