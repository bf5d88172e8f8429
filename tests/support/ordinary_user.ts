import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { COMMAND, commandWith, temporaryDirectory, IS_STANDALONE } from './cli.ts';

/** The user `nobody` of most systems. */
const NOBODY = 65_534;

/**
 * The command of cli with the rights of an ordinary user, to whom file modes apply. Root becomes `nobody`, and the
 * directory of the test is assigned to `nobody`. The runtime is loaded before, and the bundle is a copy, because `nobody`
 * may not have access to their directories.
 */
export function asOrdinaryUser(t: TestContext, cwd: string): string[] {
  if (process.getuid?.() !== 0) return [...COMMAND];
  const [runtime, main] = COMMAND;
  const copy = temporaryDirectory(t);
  if (main !== undefined) cpSync(dirname(main), copy, { recursive: true });
  const program = `process.setgroups([]); process.setgid(${NOBODY}); process.setuid(${NOBODY});`;
  const command = commandWith(cwd, program, IS_STANDALONE ? COMMAND : [runtime, join(copy, 'cli.cjs')]);
  execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, cwd, copy]);
  return command;
}
