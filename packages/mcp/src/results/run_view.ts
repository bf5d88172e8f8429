import type { RecordedOp, RunDocument } from '../../../../src/internal.ts';
import type { Content } from './tool_result.ts';

/** The statuses of an op that ended its run. */
const BAD: ReadonlySet<RecordedOp['status']> = new Set(['failed', 'not started', 'declined']);

/** The states in which a run can be resumed. */
const RESUMABLE: ReadonlySet<RunDocument['state']> = new Set(['failed', 'interrupted', 'crashed']);

/** A run as an agent sees it. Undefined if it has no step with the asked-for name. */
export function runView({ id, workflow, state, ops }: RunDocument, asked: string | undefined): Content | undefined {
  const shown =
    asked === undefined ? currentOp(ops, state) : ops.find(({ path, name }) => [path, name].includes(asked));
  if (asked !== undefined && shown === undefined) return undefined;
  const code = shown?.exit_code ?? null;
  return {
    run: id,
    workflow,
    state,
    done: endedCommands(ops),
    ...(shown !== undefined && { step: shown.path }),
    ...(code !== null && { exit_code: code }),
    ...(RESUMABLE.has(state) && { hint: `to run the rest, call resume_run with run ${id}` }),
  };
}

/** The op that is running, or that has ended the run. */
function currentOp(ops: readonly RecordedOp[], state: RunDocument['state']): RecordedOp | undefined {
  if (state === 'succeeded' || state === 'stopped') return undefined;
  const running = ops.find(({ status }) => status === 'running');
  return running ?? ops.find(({ status, allowed, kind }) => BAD.has(status) && !allowed && kind !== 'condition');
}

/** The number of commands that have ended, all attempts included. */
function endedCommands(ops: readonly RecordedOp[]): number {
  const open = ops.filter(({ commands, end }) => commands.length > 0 && end === null).length;
  return ops.reduce((sum, { commands }) => sum + commands.length, -open);
}
