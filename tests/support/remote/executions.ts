import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A command that records each execution. */
export const note = (name: string): string => `echo ${name} >> ran`;

/** The same, which fails until the file `fixed` exists. */
export const broken = (name: string): string => `${note(name)}; test -e fixed`;

/** The recorded executions in a directory, separated by blanks. */
export function ranIn(cwd: string): string {
  const path = join(cwd, 'ran');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().replaceAll('\n', ' ') : '';
}
