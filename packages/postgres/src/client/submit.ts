import type { DBOSClient, WorkflowStatus } from '@dbos-inc/dbos-sdk';
import { createHash, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { failure, type Followed, type Printer, type Result, type Submission } from '../../../../src/internal.ts';
import { engineClient, versionOf } from '../database/dbos.ts';
import { lockOptions, type LockRequest } from '../store/lock_request.ts';
import { lockId, queueOf, WORKFLOWS } from '../store/names.ts';
import { Follower, type FollowSettings } from './follow.ts';
import { query } from './query.ts';

/** Submits a run, and follows it to its end unless `detach` is set. */
export async function submit(submission: Submission, printer: Printer, settings: FollowSettings): Promise<Followed> {
  const { url, id, detach } = submission;
  const queued = await query(url, (pool) => enqueue(pool, submission));
  if (!queued.ok) return { kind: 'refused', problems: queued.problems };
  const { workflow } = submission.run.plan;
  if (!detach) return new Follower({ ...submission, workflow }, printer, settings).follow(queued.value);
  printer.say(queued.value);
  const lost = printer.document(`${JSON.stringify({ run: id })}\n`);
  return { kind: 'left', code: lost === undefined ? 0 : 74 };
}

/** Puts a run into its queue, unless it is already there; returns the message about it. */
async function enqueue(pool: Pool, submission: Submission): Promise<Result<string>> {
  const { url, id, run, tag, lock, priority, format } = submission;
  const digest = createHash('sha256').update(JSON.stringify(run.plan)).digest('hex');
  const commit = run.commit ?? null;
  const attributes = { submitter: randomUUID(), digest, commit, workflow: run.plan.workflow, tag, lock };
  const options = { workflowID: id, queueName: queueOf(tag), appVersion: versionOf(format), priority, attributes };
  const client = await engineClient(url, pool);
  // A run may wait for its lock without a row of its own.
  let known = await attributesOf(client, id);
  if (known === undefined) {
    if (lock === null) await client.enqueue({ workflowName: WORKFLOWS.run, ...options }, run);
    else {
      const request: LockRequest = { lock, options, use: { kind: 'start', run } };
      await client.enqueue(lockOptions(request, 0), request);
    }
    known = await attributesOf(client, id);
  }
  if (known?.['submitter'] === attributes.submitter) return { ok: true, value: describeQueue(id, tag, lock) };
  if (known?.['digest'] !== digest) return failure(`run ${id} exists already, with another plan`);
  if (known['commit'] !== commit) return failure(`run ${id} exists already, with another commit`);
  return { ok: true, value: `run ${id} exists already; it is not started again` };
}

/** The message about a run that was put into its queue. */
export function describeQueue(id: string, tag: string | null, lock: string | null): string {
  const where = tag === null ? '' : ` for a worker with the tag '${tag}'`;
  return `run ${id} is queued${where}${lock === null ? '' : `, under the lock '${lock}'`}`;
}

async function attributesOf(client: DBOSClient, id: string): Promise<WorkflowStatus['attributes']> {
  for (const row of [id, lockId(id, 0)]) {
    const found = await client.getWorkflow(row);
    if (found) return found.attributes;
  }
  return undefined;
}
