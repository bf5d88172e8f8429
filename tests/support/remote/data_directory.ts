import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates the data directory of a server, whose files are in `native`, at `path`. It is a copy: `initdb` takes a second.
 * `options` contain the account of the server.
 */
export function createDataDirectory(native: string, path: string, options: ExecFileSyncOptions): void {
  execFileSync('cp', ['-a', templateOf(native, options), path]);
}

/** A data directory that no server has used, shared by all tests of this machine and version. */
function templateOf(native: string, options: ExecFileSyncOptions): string {
  const { uid = process.getuid?.() ?? 0, gid } = options;
  const { size } = statSync(join(native, 'bin/postgres'));
  const template = join(tmpdir(), `workflow-plan-postgres-data-${uid}-${size}`);
  if (existsSync(template)) return template;
  const partial = mkdtempSync(`${template}-`);
  if (gid !== undefined) chownSync(partial, uid, gid);
  const args = ['-D', partial, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'];
  execFileSync(join(native, 'bin/initdb'), args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    renameSync(partial, template);
  } catch {
    // Another process has created it meanwhile.
    rmSync(partial, { recursive: true, force: true });
  }
  return template;
}
