import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ENGINE } from './workers.ts';

type Row = Readonly<Record<string, unknown>>;
type Connection = Readonly<{
  connect: () => Promise<void>;
  query: (text: string, values: readonly unknown[]) => Promise<Readonly<{ rows: readonly Row[] }>>;
  end: () => Promise<void>;
}>;

/** The driver of the package for runs on other machines. */
const { Client }: Readonly<{ Client: new (url: string) => Connection }> = createRequire(join(ENGINE, 'package.json'))(
  'pg',
);

/** Runs a query on a new connection. */
export async function query(url: string, text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
