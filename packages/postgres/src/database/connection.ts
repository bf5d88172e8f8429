import { setTimeout as delay } from 'node:timers/promises';
import { Client, Pool, type ClientConfig } from 'pg';

/** The timeout for opening a connection, in milliseconds. */
const CONNECT_TIMEOUT = 10_000;

/** The timeout for short queries, in milliseconds. Without it, a connection that no longer answers blocks forever. */
export const ANSWER_TIMEOUT = 4000;

/** The time between attempts to reach the database, in milliseconds. */
const RETRY = 500;

/** A URL for messages, with its password replaced by `***`. */
function shownUrl(url: string): string {
  const parsed = new URL(url);
  if (parsed.password !== '') parsed.password = '***';
  if (parsed.searchParams.has('password')) parsed.searchParams.set('password', '***');
  // A password with an unescaped `/`, `?` or `#` ends up in the parts after the host.
  return /[/?#].*@/.test(parsed.href.slice(parsed.href.indexOf('//') + 2)) ? 'postgres://***' : parsed.href;
}

/** The message for a failed connection or a missing permission, without the passwords of the URL and of `PGPASSWORD`. */
export function unreachable(url: string, error: unknown): string {
  const { password, searchParams } = new URL(url);
  const secrets = [password, unescaped(password), searchParams.get('password'), process.env['PGPASSWORD']];
  const reason = secrets.reduce(
    (text: string, secret) => (secret ? text.replaceAll(secret, '***') : text),
    reasonOf(error),
  );
  // SQLSTATE 42501: insufficient_privilege.
  const isDenied = error instanceof Error && 'code' in error && error.code === '42501';
  return `${isDenied ? 'no permission in' : 'cannot reach'} the database ${shownUrl(url)}: ${reason}`;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The driver decodes it in another way.
    return text;
  }
}

/** The reason to refuse a database URL: it is invalid, or the connection would not be encrypted. */
export function urlProblem(url: string): string | undefined {
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url))
    return "flag '--on' takes a URL: postgres://HOST/DATABASE";
  const { hostname, searchParams } = new URL(url);
  // As the driver reads it: the last parameter, the host of the URL, the variable.
  const host = searchParams.getAll('host').at(-1) || unescaped(hostname) || process.env['PGHOST'] || '';
  if (isLocal(host) || searchParams.get('sslmode')) return undefined;
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

/**
 * A pool that connects on first use. The loss of a connection is an error only for the query that uses it. The pool itself
 * ignores the errors of idle connections, but not those between the queries of a transaction or right after connecting.
 */
export function createPool(url: string, name: string, size: number, config: ClientConfig = {}): Pool {
  const pool = new Pool({ ...configOf(url, name), ...config, max: size });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A pool for polling with short queries. */
export function createPollingPool(url: string, name: string): Pool {
  return createPool(url, name, 2, { query_timeout: ANSWER_TIMEOUT });
}

/** A single connection outside any pool, for short queries; `onLost` is called when it breaks. */
export async function connect(
  url: string,
  name: string,
  onLost: (client: Client) => void = () => undefined,
): Promise<Client> {
  const client = new Client({ ...configOf(url, name), query_timeout: ANSWER_TIMEOUT });
  client.on('error', () => onLost(client));
  client.on('end', () => onLost(client));
  await client.connect();
  return client;
}

/** The message of a thrown value. Some connection errors have only a code. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  // The driver's words for a missing password: SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string
  if (/password must be a/.test(error.message)) return 'no password is given: use ~/.pgpass or PGPASSWORD';
  const message = error.message.replace(/^Unable to connect to system database at \S+: /, '');
  return message !== '' ? message : 'code' in error ? String(error.code) : error.name;
}

/** Repeats an action until the database can be reached. */
export async function untilReachable<Value>(act: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isConnectionProblem(error)) throw error;
      await delay(RETRY);
    }
  }
}

/** True for errors of the connection, and for those of a server that is starting or stopping. */
export function isConnectionProblem(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return /^(?:E[A-Z]+|08...|57P..|53...)$/.test(code) || /connection|timeout/i.test(error.message);
}
