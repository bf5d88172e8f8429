import { after, before } from 'node:test';
import { ROOT } from '../cli.ts';
import { databaseUrl, query } from './database.ts';
import { createPostgres, serverFiles, type Server, type ServerSettings } from './server.ts';
import type { Configuration } from './server_process.ts';
import { needsPostgres } from './workers.ts';

/** The time that the process of a test file has for its end, in milliseconds. */
const LAST_CALLS = 30_000;

/**
 * Settings for a server that holds a few runs and need not survive the crash of its machine: fewer processes, and no waiting
 * for the disk. A crash of the server itself still loses nothing.
 */
const LIGHT: Configuration = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_logical_replication_workers: 0,
  autovacuum: 'off',
  io_method: 'sync',
  shared_buffers: '16MB',
  jit: 'off',
};

/** A server that only the tests of a file use, which may change, stop or suspend it. `files` are in its directory. */
export function ownPostgres(files: ServerSettings['files'] = {}): () => Server {
  let own: Server | undefined;
  beforeTests(async (installed) => {
    own = await createPostgres(installed, { conf: LIGHT, files });
  });
  after(() => own?.remove());
  return () => existing(own);
}

/** The server of all test files in this process, whose database `postgres` has the schema and no sessions. */
let common: Promise<Server> | undefined;
let databases = 0;

/** A database for the tests of a file, on a server that test files in the same process share. */
export function sharedPostgres(): () => Server {
  let own: Server | undefined;
  beforeTests(async (installed) => {
    common ??= createPostgres(installed, { conf: LIGHT });
    const server = await common;
    databases += 1;
    const name = `tests_${databases}`;
    await query(databaseUrl(server.url, 'template1'), `CREATE DATABASE ${name} TEMPLATE postgres STRATEGY file_copy`);
    own = { ...server, url: databaseUrl(server.url, name) };
  });
  after(async () => {
    const server = common;
    common = undefined;
    await (await server)?.remove();
  });
  return () => existing(own);
}

function existing(server: Server | undefined): Server {
  if (server === undefined) throw new Error('no server: skip the test with needsPostgres()');
  return server;
}

/** Does something before the tests of a file that need a database. */
function beforeTests(work: (installed: string) => Promise<void>): void {
  before(async () => {
    const installed = serverFiles(ROOT);
    if (needsPostgres().skip === undefined && installed !== undefined) await work(installed);
  });
  after(() => {
    // A client in this process whose test has failed would wait ten minutes for its database.
    setTimeout(() => process.exit(1), LAST_CALLS).unref();
  });
}
