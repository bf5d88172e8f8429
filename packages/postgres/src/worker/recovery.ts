import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EngineIdentity } from './engine_config.ts';

/** Undocumented: `launch` selects the public way to return the runs of a lost worker. */
const WAY = process.env['CLI_ON_RECOVERY'];

/**
 * Returns the runs of a lost worker to their queues. The function of the engine is exported, but not promised. The
 * public way is to launch the engine with the id of the lost worker, which needs a process of its own. It stays tested,
 * in case a version of the engine lacks the function.
 */
export async function recoverRuns(lost: EngineIdentity): Promise<void> {
  if (WAY !== 'launch') {
    await DBOSExecutor.globalInstance?.recoverPendingWorkflows([lost.id]);
    return;
  }
  // The URL may contain a password, which the arguments of a process would show to every user.
  const env = { ...process.env, CLI_ON_LOST: JSON.stringify(lost) };
  await promisify(execFile)(process.execPath, [join(__dirname, 'launch_as_lost.cjs')], { env });
}
