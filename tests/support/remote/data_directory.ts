import { execFile, execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { ROOT } from '../cli.ts';
import { endServer, serverCommand, type Configuration, type ServerOptions } from './server_process.ts';

/** The engine of the package for runs on other machines. */
const ENGINE = join(ROOT, 'packages/postgres/node_modules/@dbos-inc/dbos-sdk');

/** The least log that a server keeps: every test file copies it. */
const SMALL_LOG: Configuration = { min_wal_size: '2MB', max_wal_size: '2MB' };

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
  const template = join(tmpdir(), `workflow-plan-postgres-small-${version}-${uid}-${size}`);
  if (existsSync(template)) return template;
  const partial = mkdtempSync(`${template}-`);
  if (gid !== undefined) chownSync(partial, uid, gid);
  const args = ['-D', partial, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'];
  execFileSync(join(native, 'bin/initdb'), [...args, '--wal-segsize=1'], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await migrate(native, partial, options);
  try {
    renameSync(partial, template);
  } catch {
    // Another process has created it meanwhile.
    rmSync(partial, { recursive: true, force: true });
  }
  return template;
}

/** A program that prepares the database of a template. */
const PREPARE = `
const [, engine, url] = process.argv;
const { Client } = require(require.resolve('pg', { paths: [engine] }));
const prepare = async () => {
  await require(engine).DBOS.migrate(url, { schemaName: 'workflow_plan' });
  const client = new Client(url);
  await client.connect();
  await client.query("UPDATE pg_database SET datistemplate = false WHERE datname = 'template0'");
  await client.query('DROP DATABASE template0');
  await client.end();
};
void prepare();
`;

/** Creates the schema as a worker does, and drops a database that nothing here uses. */
async function migrate(native: string, data: string, options: ServerOptions): Promise<void> {
  const { url, launch } = await serverCommand(native, data, options, SMALL_LOG);
  const server = await launch();
  await promisify(execFile)(process.execPath, ['-e', PREPARE, ENGINE, url]);
  await endServer(server, 'SIGINT');
}
