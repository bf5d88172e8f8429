import { setTimeout as delay } from 'node:timers/promises';
import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import type { Client } from 'pg';
import { APPLICATION, connect, SCHEMA } from './connection.ts';

/** How often a session is used, taken again, and how old it must be before it judges others; in milliseconds. */
const [BEAT, RETRY, MIN_AGE] = [1000, 500, 3000];

/** A worker is lost if its lock was free in two looks that are this many milliseconds apart. */
const SECOND_LOOK = 2000;

/** `id` is that of the engine's executor, `lease` in seconds, `name` for `application_name`. */
export type LivenessSettings = Readonly<{ url: string; id: string; name: string; lease: number }>;

/**
 * Shows that this worker lives, by an advisory lock that the server frees when its session ends, and takes over the runs
 * of workers whose lock is free.
 */
export class Liveness {
  readonly #settings: LivenessSettings;
  readonly #seenFree = new Map<string, number>();
  #client: Client | undefined;
  #since = 0;
  #isClosed = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(settings: LivenessSettings) {
    this.#settings = settings;
  }

  /** Takes the lock for the first time; throws if the database cannot be reached. */
  async open(): Promise<void> {
    await this.#take();
    this.#loop = this.#beat();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#loop;
    await this.#client?.end().catch(() => undefined);
  }

  async #take(): Promise<void> {
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
        if (this.#client === undefined) await this.#take();
        else await this.#look(this.#client);
      } catch {
        // Lost, and taken again at the next beat. No step ends because the database is away.
        const client = this.#client;
        this.#client = undefined;
        void client?.end().catch(() => undefined);
      }
      await delay(this.#client === undefined ? RETRY : BEAT);
    }
  }

  /** Uses the session, and looks for workers that are lost. */
  async #look(client: Client): Promise<void> {
    const { rows } = await client.query(
      `SELECT DISTINCT executor_id AS id FROM ${SCHEMA}.workflow_status
       WHERE status = 'PENDING' AND application_name = $1 AND executor_id <> $2`,
      [APPLICATION, this.#settings.id],
    );
    if (Date.now() - this.#since < MIN_AGE) return;
    const ids: readonly string[] = rows.map(({ id }) => String(id));
    for (const known of this.#seenFree.keys()) if (!ids.includes(known)) this.#seenFree.delete(known);
    for (const id of ids) await this.#judge(client, id);
  }

  async #judge(client: Client, id: string): Promise<void> {
    if (!(await tryLock(client, id))) {
      this.#seenFree.delete(id);
      return;
    }
    try {
      const now = Date.now();
      const since = this.#seenFree.get(id) ?? now;
      this.#seenFree.set(id, since);
      if (now - since < SECOND_LOOK) return;
      await DBOSExecutor.globalInstance?.recoverPendingWorkflows([id]);
      this.#seenFree.delete(id);
    } finally {
      await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [id]);
    }
  }
}

async function tryLock(client: Client, id: string): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held', [id]);
  return rows[0]?.held === true;
}
