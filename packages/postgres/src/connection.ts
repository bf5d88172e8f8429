import { Client, Pool, type ClientConfig, type PoolClient } from 'pg';

/** The schema that holds everything this package stores. */
export const SCHEMA = 'workflow_plan';

/** The application name by which the engine separates these runs from those of other applications. */
export const APPLICATION = 'workflow-plan';

/** The timeout for opening a connection, in milliseconds. */
const CONNECT_TIMEOUT = 10_000;

/** A URL for messages, with its password replaced by `***`. */
export function shownUrl(url: string): string {
  try {
    const parsed = new URL(url);
    if (parsed.password !== '') parsed.password = '***';
    if (parsed.searchParams.has('password')) parsed.searchParams.set('password', '***');
    return parsed.href;
  } catch {
    // In an invalid URL, any part may be the password.
    return '***';
  }
}

/** The reason to refuse a database URL: it is invalid, or the connection would not be encrypted. */
export function urlProblem(url: string): string | undefined {
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url))
    return "flag '--on' takes a URL: postgres://HOST/DATABASE";
  const { hostname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  if (isLocal(host) || searchParams.has('sslmode')) return undefined;
  return `the connection to ${host} would not be encrypted; add ?sslmode=verify-full`;
}

/** True for loopback addresses and Unix sockets. */
function isLocal(host: string): boolean {
  return host === '' || host.startsWith('/') || /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/.test(host);
}

/** `name` becomes `application_name`, by which clients find workers. */
function configOf(url: string, name: string): ClientConfig {
  return { connectionString: url, application_name: name, connectionTimeoutMillis: CONNECT_TIMEOUT, keepAlive: true };
}

/** A pool that connects on first use. The loss of an idle connection is not an error. */
export function createPool(url: string, name: string, size: number): Pool {
  const pool = new Pool({ ...configOf(url, name), max: size });
  pool.on('error', () => undefined);
  return pool;
}

/** A single connection outside any pool; `onLost` is called when it breaks. */
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

/** A transaction. The server ends its session if it is idle for `idleLimit` milliseconds. */
export async function inTransaction<Value>(
  pool: Pool,
  idleLimit: number,
  act: (client: PoolClient) => Promise<Value>,
): Promise<Value> {
  const client = await pool.connect();
  let problem: Error | undefined;
  try {
    await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${idleLimit}`);
    const value = await act(client);
    await client.query('COMMIT');
    return value;
  } catch (error) {
    problem = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // The pool closes a connection that is released with an error.
    client.release(problem);
  }
}

/** The message of a thrown value. Some connection errors have only a code. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.message !== '' ? error.message : 'code' in error ? String(error.code) : error.name;
}

/** True for errors of the connection, and for those of a server that is starting or stopping. */
export function isConnectionProblem(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return /^(?:E[A-Z]+|08...|57P..|53...)$/.test(code) || /connection|timeout/i.test(error.message);
}
