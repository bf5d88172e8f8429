import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '../cli.ts';
import { ONLY_PATH } from '../environment.ts';
import { inProcess } from '../in_process.ts';

/** A program that prints a secret, as a command of bash. */
export const bash = (script: string): readonly string[] => ['bash', '-c', script];

/** A directory with the script `x.sh`, and an environment whose temporary files are in the directory `temporary`. */
export type Exported = Readonly<{ cwd: string; temporary: string; env: Readonly<Record<string, string | undefined>> }>;

/** Exports the workflow `x` of a file. */
export async function exported(t: TestContext, file: object): Promise<Exported> {
  const cwd = temporaryDirectory(t, { '.cli/workflow.json': file });
  const { code, stdout, stderr } = await inProcess(t, ['export', 'x'], { cwd, env: ONLY_PATH });
  assert.deepEqual([code, stderr], [0, '']);
  writeFileSync(join(cwd, 'x.sh'), stdout);
  const temporary = join(cwd, 'tmp');
  mkdirSync(temporary);
  return { cwd, temporary, env: { ...ONLY_PATH, TMPDIR: temporary } };
}
