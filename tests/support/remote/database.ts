import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ENGINE } from './workers.ts';

type Row = Readonly<Record<string, unknown>>;
type Connection = Readonly<{
  connect: () => Promise<void>;
  query: (text: string, values: readonly unknown[]) => Promise<Readonly<{ rows: readonly Row[] }>>;
  end: () => Promise<void>;
}>;

/** A connection by the driver of the package for runs on other machines, which may not be installed. */
function connection(url: string): Connection {
  const driver: Readonly<{ Client: new (url: string) => Connection }> = createRequire(join(ENGINE, 'package.json'))(
    'pg',
  );
  return new driver.Client(url);
}

/** The URL of another database of the same server. */
export function databaseUrl(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: name }).href;
}

/** Runs a query on a new connection. */
export async function query(url: string, text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
  const client = connection(url);
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
