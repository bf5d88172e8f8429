import { DBOS } from '@dbos-inc/dbos-sdk';
import { readFileSync } from 'node:fs';
import { engineConfig, NO_LOG, type EngineIdentity } from '../database/dbos.ts';

/* A process that launches the engine as the lost worker on its standard input. At launch, the engine returns the runs of its id to their queues. */

const lost: EngineIdentity = JSON.parse(readFileSync(0, 'utf8'));
DBOS.setConfig({ ...engineConfig(lost), logger: NO_LOG });
void DBOS.launch().then(() => DBOS.shutdown());
