import { execFile, execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { ROOT } from '../cli.ts';
import { endServer, serverCommand, type ServerOptions } from './server_process.ts';

/** The engine of the package for runs on other machines. */
const ENGINE = join(ROOT, 'packages/postgres/node_modules/@dbos-inc/dbos-sdk');

/**
 * Creates the data directory of a server, whose files are in `native`, at `path`. It is a copy of one whose database has the
 * schema of this package: `initdb` takes a second, and the migration half of one. `options` contain the account of the server.
 */
export async function createDataDirectory(native: string, path: string, options: ServerOptions): Promise<void> {
  execFileSync('cp', ['-a', await templateOf(native, options), path]);
}

/** A data directory that no runs have used, shared by all tests of this machine and version. */
async function templateOf(native: string, options: ServerOptions): Promise<string> {
  const { uid = process.getuid?.() ?? 0, gid } = options;
  const { size } = statSync(join(native, 'bin/postgres'));
  const { version } = v.parse(
    v.object({ version: v.string() }),
    JSON.parse(readFileSync(join(ENGINE, 'package.json'), 'utf8')),
  );
  const template = join(tmpdir(), `workflow-plan-postgres-${version}-${uid}-${size}`);
  if (existsSync(template)) return template;
  const partial = mkdtempSync(`${template}-`);
  if (gid !== undefined) chownSync(partial, uid, gid);
  const args = ['-D', partial, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'];
  execFileSync(join(native, 'bin/initdb'), args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  await migrate(native, partial, options);
  try {
    renameSync(partial, template);
  } catch {
    // Another process has created it meanwhile.
    rmSync(partial, { recursive: true, force: true });
  }
  return template;
}

/** Creates the schema as a worker does. */
async function migrate(native: string, data: string, options: ServerOptions): Promise<void> {
  const { url, launch } = await serverCommand(native, data, options);
  const server = await launch();
  const program = "require(process.argv[1]).DBOS.migrate(process.argv[2], { schemaName: 'workflow_plan' })";
  await promisify(execFile)(process.execPath, ['-e', program, ENGINE, url]);
  await endServer(server, 'SIGINT');
}
