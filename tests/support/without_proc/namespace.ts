import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../cli.ts';

/** Runs a program without /proc, among programs of BSD semantics. */
export const ENTER = join(ROOT, 'tests/support/without_proc/enter.sh');

/** Options of tests that do so. */
export const NAMESPACE = allowed([ENTER, 'ps', '-p', String(process.pid), '-o', 'pid='], 'mount namespaces');

/** Runs a program on a file system that ignores case, and options of tests that do so. */
export const CASELESS_ENTER = join(ROOT, 'tests/support/without_proc/caseless.sh');
export const CASELESS = allowed([CASELESS_ENTER, 'true'], 'mounts of a file system that ignores case');

function allowed(words: readonly string[], what: string): { readonly skip?: string } {
  const { status, stderr } = spawnSync('sh', words, { encoding: 'utf8' });
  return status === 0 ? {} : { skip: `${what} are not allowed: ${stderr.trim().split('\n', 1)[0]}` };
}
