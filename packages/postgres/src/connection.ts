import { Client, Pool, type ClientConfig } from 'pg';

/** The schema with all that this package stores. */
export const SCHEMA = 'workflow_plan';

/** The name under which the engine keeps runs apart from those of other applications. */
export const APPLICATION = 'workflow-plan';

/** How long a first connection may take, in milliseconds. */
const PATIENCE = 10_000;

/** A URL without its password, to show. */
export function shownUrl(url: string): string {
  try {
    const parsed = new URL(url);
    if (parsed.password !== '') parsed.password = '***';
    if (parsed.searchParams.has('password')) parsed.searchParams.set('password', '***');
    return parsed.href;
  } catch {
    // Of a text that is no URL, any part may be a password.
    return '***';
  }
}

/** Why a database must not be used: it has no URL, or one that lets others read along. */
export function urlProblem(url: string): string | undefined {
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url))
    return "flag '--on' takes a URL: postgres://HOST/DATABASE";
  const { hostname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  if (isLocal(host) || searchParams.has('sslmode')) return undefined;
  return `the connection to ${host} would not be encrypted; add ?sslmode=verify-full`;
}

/** Loopback addresses and sockets. */
function isLocal(host: string): boolean {
  return host === '' || host.startsWith('/') || /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/.test(host);
}

/** What stands in `application_name`, which others find workers by. */
function configOf(url: string, name: string): ClientConfig {
  return { connectionString: url, application_name: name, connectionTimeoutMillis: PATIENCE, keepAlive: true };
}

/** Connections that are opened on use. Losing an idle one is no error. */
export function createPool(url: string, name: string, size: number): Pool {
  const pool = new Pool({ ...configOf(url, name), max: size });
  pool.on('error', () => undefined);
  return pool;
}

/** A connection of its own; `onLost` is called when it breaks. */
export async function connect(
  url: string,
  name: string,
  onLost: (client: Client) => void = () => undefined,
): Promise<Client> {
  const client = new Client(configOf(url, name));
  client.on('error', () => onLost(client));
  client.on('end', () => onLost(client));
  await client.connect();
  return client;
}

/** What is wrong, from a thrown value. Some errors of connections have a code only. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.message !== '' ? error.message : 'code' in error ? String(error.code) : error.name;
}
