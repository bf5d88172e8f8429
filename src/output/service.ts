import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Io } from './io.ts';
import type { Service } from './style.ts';

/** The service that reads standard error; a file or a terminal is not read by one. */
export function serviceOf({ env, stderr }: Io): Service | undefined {
  if (fstatSync(stderr).isFile() || isatty(stderr)) return undefined;
  if (env['GITHUB_ACTIONS'] === 'true') return 'github';
  return env['GITLAB_CI'] === 'true' ? 'gitlab' : undefined;
}
