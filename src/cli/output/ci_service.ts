import { fstatSync } from 'node:fs';
import type { Io } from './io.ts';
import type { Service } from './style.ts';
import { isTerminal } from './terminal.ts';

/** The CI service that reads standard error; undefined if standard error is a file or a terminal. */
export function serviceOf({ env, stderr }: Io): Service | undefined {
  if (fstatSync(stderr).isFile() || isTerminal(stderr)) return undefined;
  if (env['GITHUB_ACTIONS'] === 'true') return 'github';
  return env['GITLAB_CI'] === 'true' ? 'gitlab' : undefined;
}
