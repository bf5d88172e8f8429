import { DBOSClient, type DBOSConfig } from '@dbos-inc/dbos-sdk';
import type { Pool } from 'pg';
import { FORMAT_VERSION } from '../../../../src/internal.ts';

/** The schema that holds everything this package stores. */
export const SCHEMA = 'workflow_plan';

/** The application name by which the engine separates these runs from those of other applications. */
export const APPLICATION = 'workflow-plan';

/** The version by which the engine matches runs to workers: the formats of plans and of records that they read. */
export function versionOf(format: number): string {
  return `plan-${format}-records-${FORMAT_VERSION}`;
}

const nothing = (): void => undefined;

/** A logger of the engine that discards all messages. */
export const NO_LOG = { info: nothing, debug: nothing, warn: nothing, error: nothing };

/** A logger of the engine that passes on why the database has failed. The engine then tries again. */
export class FailureLog {
  readonly info = nothing;
  readonly debug = nothing;
  readonly error = nothing;
  onFailure: (reason: string) => void = nothing;

  warn(entry: unknown): void {
    const reason = /^Database connection failed: (.*)\. Retrying in /s.exec(String(entry))?.[1];
    if (reason !== undefined) this.onFailure(reason);
  }
}

/** The database, the engine's id of a worker, and the format of plans that it reads. */
export type EngineIdentity = Readonly<{ url: string; id: string; format: number }>;

/** The configuration of the engine in a process that takes no runs yet. */
export function engineConfig({ url, id, format }: EngineIdentity): DBOSConfig {
  return {
    name: APPLICATION,
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: SCHEMA,
    applicationVersion: versionOf(format),
    executorID: id,
    listenQueues: [],
    useListenNotify: false,
    runMigrations: false,
  };
}

/** An engine client that uses the given pool. */
export function engineClient(url: string, pool: Pool): Promise<DBOSClient> {
  return DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: SCHEMA,
    applicationName: APPLICATION,
    logger: NO_LOG,
  });
}
