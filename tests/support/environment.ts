import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The directory for the state of the user, one for each process of the tests. */
export const STATE_HOME = mkdtempSync(join(tmpdir(), 'cli-state-'));
process.on('exit', () => rmSync(STATE_HOME, { recursive: true, force: true }));

// Calls of the tool in a process of the tests handle its signals side by side: more than ten are no leak.
process.setMaxListeners(100);

/**
 * Removes all variables but PATH from the environment of the tests, so that the output of a run does not depend on it.
 * Messages of the shell are in English.
 */
export const ONLY_PATH: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined])),
  PATH: process.env['PATH'],
  LC_ALL: 'C',
  CLI_NO_JOURNAL: '1',
  XDG_STATE_HOME: STATE_HOME,
};
