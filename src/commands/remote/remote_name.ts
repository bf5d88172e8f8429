const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** Whether a text can be a tag, a lock, the id of a run or the name of a worker. */
export function isRemoteName(text: string): boolean {
  return NAME.test(text);
}

/** The problem with a flag whose value is no such name. */
export function nameProblem(flag: string): string {
  return `flag '--${flag}' takes up to 64 letters, digits, dots, hyphens and underscores`;
}
