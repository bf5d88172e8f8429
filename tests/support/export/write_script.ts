import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND, finish } from '../cli.ts';
import type { Bench } from '../processes/bench.ts';

/** Exports the workflow `x` of a directory as the script `x.sh`. */
export async function writeScript({ cwd }: Bench): Promise<void> {
  const [file, ...first] = COMMAND;
  const { code, stdout, stderr } = await finish(file, [...first, 'export', 'x'], { cwd });
  assert.equal(code, 0, stderr);
  writeFileSync(join(cwd, 'x.sh'), stdout);
}
