import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { APPLICATION, connect, SCHEMA, unreachable } from '../database/connection.ts';
import { OutageReport } from '../database/outage.ts';
import type { EngineIdentity } from './engine_config.ts';
import { recoverRuns } from './recovery.ts';

/** The heartbeat interval, the reconnection interval, and the session age needed to check others; in milliseconds. */
const [BEAT, RETRY, MIN_AGE] = [1000, 500, 3000];

/** A worker counts as lost once its lock has been free for this many milliseconds. */
const LOST_AFTER = 2000;

/** `lease` is in seconds, and `name` becomes `application_name`. */
export type LivenessSettings = EngineIdentity & Readonly<{ name: string; lease: number; say: (line: string) => void }>;

/**
 * Holds an advisory lock as proof that this worker is alive, and takes over the runs of workers that no longer hold
 * theirs. The server frees a lock when the session that holds it ends.
 */
export class Liveness {
  readonly #settings: LivenessSettings;
  readonly #seenFree = new Map<string, number>();
  readonly #outage: OutageReport;
  readonly #storage: OutageReport;
  #client: Client | undefined;
  #since = 0;
  #isClosed = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(settings: LivenessSettings) {
    this.#settings = settings;
    this.#outage = new OutageReport(settings.say);
    this.#storage = new OutageReport(settings.say);
  }

  /** Connects and takes the lock; throws if the database cannot be reached. */
  async open(): Promise<void> {
    await this.#connect();
    this.#loop = this.#beat();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#loop;
    await this.#client?.end().catch(() => undefined);
  }

  /** To be called when a result could not be stored, as on a full disk. A lost connection is reported anyway. */
  onNotStored(reason: string): void {
    if (this.#client !== undefined) this.#storage.failed(`the database cannot store results: ${reason}`);
  }

  /** To be called when a result has been stored. */
  onStored(): void {
    this.#storage.succeeded();
  }

  async #connect(): Promise<void> {
    const { url, id, name, lease } = this.#settings;
    const client = await connect(url, name, (lost) => {
      if (this.#client === lost) this.#client = undefined;
    });
    try {
      await client.query(`SET idle_session_timeout = ${lease * 1000}`);
      while (!(await tryLock(client, id))) await delay(100);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.#seenFree.clear();
    [this.#client, this.#since] = [client, Date.now()];
  }

  async #beat(): Promise<void> {
    while (!this.#isClosed) {
      try {
        if (this.#client === undefined) await this.#connect();
        else await this.#recoverLost(this.#client);
        this.#outage.succeeded();
      } catch (error) {
        // The next beat reconnects. An outage of the database ends no step.
        const client = this.#client;
        this.#client = undefined;
        void client?.end().catch(() => undefined);
        this.#outage.failed(unreachable(this.#settings.url, error));
      }
      await delay(this.#client === undefined ? RETRY : BEAT);
    }
  }

  /** Takes over the runs of lost workers. The query also keeps the session from idling. */
  async #recoverLost(client: Client): Promise<void> {
    const { rows } = await client.query(
      `SELECT DISTINCT executor_id AS id FROM ${SCHEMA}.workflow_status
       WHERE status = 'PENDING' AND application_name = $1 AND executor_id <> $2`,
      [APPLICATION, this.#settings.id],
    );
    if (Date.now() - this.#since < MIN_AGE) return;
    const ids: readonly string[] = rows.map(({ id }) => String(id));
    for (const known of this.#seenFree.keys()) if (!ids.includes(known)) this.#seenFree.delete(known);
    for (const id of ids) await this.#checkWorker(client, id);
  }

  async #checkWorker(client: Client, id: string): Promise<void> {
    const { url, format } = this.#settings;
    if (!(await tryLock(client, id))) {
      this.#seenFree.delete(id);
      return;
    }
    try {
      const now = Date.now();
      const since = this.#seenFree.get(id) ?? now;
      this.#seenFree.set(id, since);
      if (now - since < LOST_AFTER) return;
      this.#seenFree.delete(id);
      await keepAlive(client, recoverRuns({ url, id, format }));
    } finally {
      await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [id]);
    }
  }
}

/** Waits for some work, and keeps a session from idling meanwhile. */
async function keepAlive(client: Client, work: Promise<void>): Promise<void> {
  const over = work.then(() => true);
  while (!(await Promise.race([over, delay(BEAT, false)]))) await client.query('SELECT 1');
}

async function tryLock(client: Client, id: string): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held', [id]);
  return rows[0]?.held === true;
}
