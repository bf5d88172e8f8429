import { activeCalls, CallLocks, locksOfSession } from '../../../backend/locks/call_locks.ts';
import { findByVariables } from '../../../backend/process/leftovers.ts';
import type { RunJournal } from '../../../backend/run_journal.ts';
import type { RunSettings } from '../../../backend/run_settings.ts';
import type { Plan } from '../../../ir/plan.ts';
import { WorkflowLocks } from '../../../records/locks/workflow_locks.ts';
import type { LockHolder, LockOwner } from '../../../records/locks/ticket_lock.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { openJournal } from '../../driver/recording/record_run.ts';
import { findOrphans } from '../../driver/recording/orphans.ts';
import { printStderr, type Io } from '../../output/io.ts';

/** The locks of a run: the errors with `--no-wait` if some are held at its start, and those of its interpreters. */
export type RunLocks = Readonly<{
  problems: () => Promise<readonly string[]>;
  of: (run: string | null, marker: string) => NonNullable<RunSettings['locks']>;
}>;

/** Prepares the locks of a plan. `known` returns the ops that do not run in this session. */
export function openLocks(io: Io, plan: Plan, options: Options, known: RunJournal['known']): RunLocks {
  const names = locksOfSession(plan, activeCalls(plan, known));
  const leftOf = (owner: LockOwner): Promise<readonly number[]> => leftOfRun(io, options, owner);
  return {
    problems: async () => {
      if (!options.noWait) return [];
      const locks = new WorkflowLocks({ env: io.env, leftOf, about: {}, onHeld: () => undefined });
      const found = await Promise.all(names.map(async (name) => [name, await locks.holder(name)] as const));
      return found.flatMap(([name, holder]) =>
        holder === undefined ? [] : `${describeHeld(name, holder)}; nothing was started`,
      );
    },
    of: (run, marker) => (journal) => {
      const onHeld = (name: string, holder: LockHolder): string | undefined => {
        if (options.noWait) return describeHeld(name, holder);
        journal.waitFor(name, holder.owner.run);
        if (!options.quiet) printStderr(io, [describeWait(name, holder)], 'cli: ');
        return undefined;
      };
      const about = { run, workflow: plan.workflow, marker };
      return new CallLocks(plan, known, new WorkflowLocks({ env: io.env, leftOf, about, onHeld }));
    },
  };
}

/** The running processes of commands that a run was running when its process was killed. */
async function leftOfRun(io: Io, options: Options, { run, marker }: LockOwner): Promise<readonly number[]> {
  const journal = run === null ? undefined : openJournal(io, options);
  const recorded = run === null || journal?.ok !== true ? undefined : journal.value.read(run);
  if (recorded !== undefined) return (await findOrphans(recorded)).pids;
  if (marker === '') return [];
  return (await findByVariables((variables) => variables.some((each) => each.startsWith(`${marker}=`)))).pids;
}

function describeWait(name: string, holder: LockHolder): string {
  const { owner, left } = holder;
  if (left.length === 0) return `waiting for ${describeOwner(owner)}, which holds the lock '${name}'`;
  const why = `which was killed while it held the lock '${name}'`;
  return `waiting for processes of ${describeOwner(owner)}, ${why}: ${left.join(', ')}`;
}

function describeHeld(name: string, { owner, left }: LockHolder): string {
  const kept = left.length === 0 ? '' : `, which was killed, has left processes (${left.join(', ')}), and`;
  return `${describeOwner(owner)}${kept} holds the lock '${name}'`;
}

function describeOwner({ run, workflow, pid }: LockOwner): string {
  return `${run === null ? `process ${pid}` : `run ${run}`} (${workflow})`;
}
