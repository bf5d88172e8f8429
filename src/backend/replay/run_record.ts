import type { CommandOp } from '../../ir/plan.ts';
import type { Exit, Interruption } from '../command_runner.ts';

/** The op of a record: its index in the plan, and the kind and name of its command. */
type About = Readonly<{ op: number; what: CommandOp['kind']; name: string }>;

/**
 * A JSON-serialisable event of a run. Records are in the order in which the events became known. Times are in
 * milliseconds since 1970.
 *
 * - `start`: a command that must not run twice is about to start. Other commands have no such record.
 * - `op`: an attempt has ended. `begun` is the number of commands that had begun by then. `before` and `after` are the
 *   interruptions known when the attempt began and ended. `finished`: a resume keeps the result, which is a success, an
 *   allowed failure, or that of a condition.
 * - `decision`: the result of a condition that tests a variable.
 */
export type RunRecord =
  | (About & Readonly<{ kind: 'start'; attempt: number }>)
  | (About & OpEnd)
  | Readonly<{ kind: 'decision'; op: number; holds: boolean }>;

type OpEnd = Readonly<{
  kind: 'op';
  attempt: number;
  exit: Exit;
  begun: number;
  before: Interruption | null;
  after: Interruption | null;
  finished: boolean;
  started: number;
  ended: number;
}>;

/** The record of an attempt. */
export type OpRecord = RunRecord & { kind: 'op' };
