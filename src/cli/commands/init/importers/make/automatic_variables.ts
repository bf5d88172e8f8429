import { basename, dirname } from 'node:path';
import { words } from './make_text.ts';

/** The values of `$@`, `$<`, `$^`, `$(@D)` and so on. `all` are the prerequisites with repeated ones. */
export function automaticVariables(
  name: string,
  needed: readonly string[],
  all: readonly string[],
  isPhony: boolean,
): Map<string, string> {
  const variables = [
    ['@', name],
    ['<', needed[0] ?? ''],
    ['^', needed.join(' ')],
    ['+', all.join(' ')],
    ...(isPhony ? [['?', needed.join(' ')] as const] : []),
  ] as const;
  const split = variables.flatMap(([sign, value]) => {
    const paths = words(value);
    return [
      [`${sign}D`, paths.map((path) => dirname(path)).join(' ')],
      [`${sign}F`, paths.map((path) => basename(path)).join(' ')],
    ] as const;
  });
  return new Map([...variables, ...split]);
}
