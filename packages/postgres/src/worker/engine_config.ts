import type { DBOSConfig } from '@dbos-inc/dbos-sdk';
import { APPLICATION, SCHEMA } from '../database/connection.ts';
import { versionOf } from '../store/names.ts';

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
