import { failure, type Result } from '../../../base/result.ts';
import { link } from '../../../ir/link.ts';
import { locksOf } from '../../../ir/ops.ts';
import type { Plan } from '../../../ir/plan.ts';
import { isRemoteName } from '../../../records/journal/run_id.ts';
import { REMOTE_NAME } from './remote_name.ts';

/** The lock of a run in the queue of workers: that of its plan, or the value of `--lock`. */
export function lockInQueue(written: Plan, flag: string | undefined): Result<string | null> {
  // No variable of this process has a value on the machine of the worker.
  const { plan, problems } = link(written, { inherited: {}, dotenv: new Map() });
  const names = locksOf(plan);
  const [name, ...others] = names;
  if (name === undefined) return { ok: true, value: flag ?? null };
  const open = new Set(written.calls.flatMap(({ lock }) => lock?.lookups?.map(({ offset }) => offset) ?? []));
  const unknown = problems.find(({ lookup }) => open.has(lookup.offset));
  if (unknown !== undefined)
    return failure(`with '--on', only the file or a parameter can set the variable of a lock: ${unknown.lookup.name}`);
  const workflow = `workflow '${written.workflow}'`;
  if (others.length > 0)
    return failure(`with '--on', a run holds one lock, and ${workflow} has several: ${names.join(', ')}`);
  if (!isRemoteName(name)) return failure(`with '--on', the name of a lock has ${REMOTE_NAME}: '${name}'`);
  if (flag !== undefined && flag !== name)
    return failure(`'--lock' is another lock than '${name}', that of ${workflow}`);
  return { ok: true, value: name };
}
