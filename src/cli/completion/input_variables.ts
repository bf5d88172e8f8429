import { expandedPart, SET_BY_SHELL } from '../../frontend/lint/shell_variables.ts';

/** Variables that the system sets (POSIX, XBD 8.3). */
const SYSTEM_VARIABLES = /^(?:HOME|LANG|LC_\w+|LOGNAME|PATH|TERM|TMPDIR|TZ|USER)$/;

/**
 * The variables that a command reads, including those with a default (`${NAME:-x}`). Variables of the system and the
 * shell are excluded, as are variables that the command itself sets, unless from their own value.
 */
export function inputVariables(command: string): string[] {
  const text = expandedPart(command);
  const own = /(?<![\w-])(?:for|read)\s+(?:-\w+\s+)*([A-Za-z_]\w*)|(?<![\w${-])([A-Za-z_]\w*)=(?!"?\$\{?\2\b)/g;
  const set = new Set([...text.matchAll(own)].map(([, named = '', assigned = '']) => named || assigned));
  const names = [...text.matchAll(/\$\{?#?([A-Za-z_]\w*)/g)].map(([, name = '']) => name);
  return names.filter((name) => !set.has(name) && !SET_BY_SHELL.test(name) && !SYSTEM_VARIABLES.test(name));
}
