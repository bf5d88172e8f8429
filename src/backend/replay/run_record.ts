import type { CommandOp } from '../../ir/plan.ts';
import type { Exit, Interruption } from '../command_runner.ts';

/** The op that a record is about: its index in the plan, and what the command of it is called. */
type About = Readonly<{ op: number; what: CommandOp['kind']; name: string }>;

/**
 * What a run has done, as data that survives JSON, in the order in which it became known. Times are in milliseconds since
 * 1970.
 *
 * - `start`: a command is about to start that must not run twice; other commands have no such record
 * - `op`: an attempt has ended. `begun` is the number of commands that had begun by then; `before` and `after` are the
 *   interruption known when the attempt began and ended
 * - `decision`: whether a condition holds that tests a variable
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
  started: number;
  ended: number;
}>;

/** The record of an attempt. */
export type OpRecord = RunRecord & { kind: 'op' };
