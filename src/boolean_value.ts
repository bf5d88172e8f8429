/** Whether a text means yes; undefined if it means neither yes nor no. Empty means no. */
export function booleanValue(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (['true', 'yes', 'y', 'on', '1'].includes(word)) return true;
  return ['false', 'no', 'n', 'off', '0', ''].includes(word) ? false : undefined;
}
