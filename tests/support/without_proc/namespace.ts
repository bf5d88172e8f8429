import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../cli.ts';

/** Runs a program without /proc, among programs of BSD semantics. */
export const ENTER = join(ROOT, 'tests/support/without_proc/enter.sh');

/** Options of tests that do so. */
export const NAMESPACE: { readonly skip?: string } = reason();

function reason(): { readonly skip?: string } {
  const { status, stderr } = spawnSync('sh', [ENTER, 'ps', '-p', String(process.pid), '-o', 'pid='], {
    encoding: 'utf8',
  });
  return status === 0 ? {} : { skip: `mount namespaces are not allowed: ${stderr.trim().split('\n', 1)[0]}` };
}
