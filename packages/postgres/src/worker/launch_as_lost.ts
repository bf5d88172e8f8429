import { DBOS } from '@dbos-inc/dbos-sdk';
import { engineConfig, NO_LOG, type EngineIdentity } from '../database/engine.ts';

/* A process that launches the engine as a lost worker. At launch, the engine returns the runs of its id to their queues. */

const lost: EngineIdentity = JSON.parse(process.env['CLI_ON_LOST'] ?? '');
DBOS.setConfig({ ...engineConfig(lost), logger: NO_LOG });
void DBOS.launch().then(() => DBOS.shutdown());
