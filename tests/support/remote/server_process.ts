import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** The lines of postgresql.conf that differ from the defaults. */
export type Configuration = Readonly<Record<string, string | number>>;

/** The account, the directory and the environment of a server. */
export type ServerOptions = Readonly<{ uid?: number; gid?: number; cwd: string; env: NodeJS.ProcessEnv }>;

/** The command of a server with a data directory, and the URL of its database. */
export type ServerCommand = Readonly<{ url: string; launch: () => Promise<ChildProcess> }>;

/** The command of a server whose files are in `native`. `options` contain its account and its directory. */
export async function serverCommand(
  native: string,
  data: string,
  options: ServerOptions,
  conf: Configuration = {},
): Promise<ServerCommand> {
  const port = await freePort();
  const place = { listen_addresses: '127.0.0.1', unix_socket_directories: options.cwd, port };
  const set = Object.entries({ ...place, ...conf });
  const args = ['-D', data, ...set.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    launch: async () => {
      const stdio = ['ignore', 'ignore', 'pipe'] as const;
      const child = spawn(join(native, 'bin/postgres'), args, { ...options, stdio: [...stdio] });
      await untilReady(child);
      return child;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a port without an address');
  return address.port;
}

function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`the server did not start: ${output}`)));
    child.stderr?.on('data', (chunk: Buffer) => {
      output = `${output}${chunk.toString()}`.slice(-4096);
      if (output.includes('ready to accept connections')) resolve();
    });
  });
}

/** Ends a server with a signal: `SIGINT` stops it, and `SIGQUIT` is like a crash. */
export async function endServer(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exited;
}
