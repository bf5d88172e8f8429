import assert from 'node:assert/strict';
import { delimiter, join } from 'node:path';
import { finish, ROOT } from '../cli.ts';

/** The directory of `just`. */
export const JUST = join(ROOT, 'tools/just/node_modules/rust-just-linux-x64/bin');

/** The environment with `just`, which `installJust` installs. */
export const WITH_JUST = { PATH: [JUST, process.env['PATH']].join(delimiter) };

let installed: Promise<void> | undefined;

/** Installs `just` once, for all test files of the process: two installations at a time disturb each other. */
export function installJust(): Promise<void> {
  installed ??= finish(process.execPath, ['scripts/setup.mjs', 'tools/just'], { cwd: ROOT }).then(({ code, stderr }) =>
    assert.equal(code, 0, stderr),
  );
  return installed;
}
