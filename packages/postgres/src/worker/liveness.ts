import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { connect, unreachable } from '../database/connection.ts';
import type { EngineIdentity } from '../database/dbos.ts';
import { Outage } from '../database/outage.ts';
import { findLost, findOthers, keepAlive, limitIdleTime, tryLock, unlock } from '../store/workers.ts';
import { recoverRuns, type Recovery } from './engine_internals.ts';

/** The heartbeat interval, the reconnection interval, and the session age needed to check others; in milliseconds. */
const [BEAT, RETRY, MIN_AGE] = [1000, 500, 3000];

/** A worker counts as lost once its lock has been free for this many milliseconds. */
const LOST_AFTER = 2000;

/** The seconds between two reports of an outage, and the way to take over runs. */
export type LossSettings = Readonly<{ reminder: number; recovery: Recovery }>;

/** `lease` is in seconds, and `name` becomes `application_name`. `hasRun` is true for the id of a current run. */
export type LivenessSettings = EngineIdentity &
  LossSettings &
  Readonly<{ name: string; lease: number; hasRun: (id: string) => boolean; say: (line: string) => void }>;

/**
 * Holds an advisory lock as proof that this worker is alive, and takes over the runs of workers that no longer hold
 * theirs. The server frees a lock when the session that holds it ends.
 */
export class Liveness {
  readonly #settings: LivenessSettings;
  readonly #seenFree = new Map<string, number>();
  readonly #outage: Outage;
  readonly #storage: Outage;
  #client: Client | undefined;
  #since = 0;
  /** The runs that this worker has had since the last beat with a connection. */
  readonly #runs = new Set<string>();
  #isClosed = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(settings: LivenessSettings) {
    this.#settings = settings;
    this.#outage = new Outage(settings.say, settings.reminder);
    this.#storage = new Outage(settings.say, settings.reminder);
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

  /** To be called when a run begins on this worker. */
  onBegun(run: string): void {
    this.#runs.add(run);
  }

  /** To be called when a result could not be stored, as on a full disk. A lost connection is reported anyway. */
  onNotStored(reason: string): void {
    if (this.#client !== undefined) this.#storage.failed(`the database cannot store results: ${reason}; trying again`);
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
      await limitIdleTime(client, lease);
      while (!(await tryLock(client, id))) await delay(100);
      await this.#reportLost(client);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.#seenFree.clear();
    [this.#client, this.#since] = [client, Date.now()];
  }

  /** While the lock was free, other workers may have taken runs over. */
  async #reportLost(client: Client): Promise<void> {
    const lost = this.#runs.size === 0 ? [] : await findLost(client, this.#settings.id, [...this.#runs]);
    if (lost.length === 0) return;
    for (const run of lost) this.#runs.delete(run);
    const which = `${lost.length === 1 ? 'run' : 'runs'} ${lost.join(', ')}`;
    this.#settings.say(`this worker was cut off from the database; other workers have taken over ${which}`);
  }

  async #beat(): Promise<void> {
    while (!this.#isClosed) {
      try {
        if (this.#client === undefined) await this.#connect();
        else await this.#recoverLost(this.#client);
        for (const run of this.#runs) if (!this.#settings.hasRun(run)) this.#runs.delete(run);
        this.#outage.succeeded();
      } catch (error) {
        // The next beat reconnects. An outage of the database ends no step.
        const client = this.#client;
        this.#client = undefined;
        void client?.end().catch(() => undefined);
        this.#outage.failed(`${unreachable(this.#settings.url, error)}; trying again`);
      }
      await delay(this.#client === undefined ? RETRY : BEAT);
    }
  }

  /** Takes over the runs of lost workers. The query also keeps the session from idling. */
  async #recoverLost(client: Client): Promise<void> {
    const ids = await findOthers(client, this.#settings.id);
    if (Date.now() - this.#since < MIN_AGE) return;
    for (const known of this.#seenFree.keys()) if (!ids.includes(known)) this.#seenFree.delete(known);
    for (const id of ids) await this.#checkWorker(client, id);
  }

  async #checkWorker(client: Client, id: string): Promise<void> {
    const { url, format, recovery } = this.#settings;
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
      await keepAlive(client, recoverRuns({ url, id, format }, recovery), BEAT);
    } finally {
      await unlock(client, id);
    }
  }
}
