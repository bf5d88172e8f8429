import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Io } from './io.ts';
import type { Service } from './style.ts';

/** The CI service that reads standard error; undefined if standard error is a file or a terminal. */
export function serviceOf({ env, stderr }: Io): Service | undefined {
  if (fstatSync(stderr).isFile() || isatty(stderr)) return undefined;
  if (env['GITHUB_ACTIONS'] === 'true') return 'github';
  return env['GITLAB_CI'] === 'true' ? 'gitlab' : undefined;
}
