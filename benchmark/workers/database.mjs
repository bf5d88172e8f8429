import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const { Client } = createRequire(resolve('packages/postgres/package.json'))('pg');

/** The benchmark's own connection to a database. */
export function database(url) {
  const client = new Client({ connectionString: url });
  const connected = client.connect();
  const rows = async (sql, values = []) => {
    await connected;
    return (await client.query(sql, values)).rows;
  };
  return {
    rows,
    value: async (sql, values) => Object.values((await rows(sql, values))[0] ?? {})[0],
    end: () => client.end(),
  };
}
