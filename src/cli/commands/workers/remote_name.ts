/** The form of the name of something remote, in words. */
export const REMOTE_NAME = 'up to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit';

/** The problem with a flag whose value is no name of something remote. */
export function nameProblem(flag: string): string {
  return `flag '--${flag}' takes ${REMOTE_NAME}`;
}
