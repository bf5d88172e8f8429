import type { Call } from '../../ir/plan.ts';
import type { Waiting } from '../checks/check_port.ts';
import type { CommandRunner } from '../command_runner.ts';

/**
 * The result of beginning a call: it may begin, and the function is to be called at its end; there is a reason why it
 * fails without starting; or the wait for a lock was stopped.
 */
export type Entered = Readonly<
  { kind: 'entered'; leave: () => void } | { kind: 'refused'; reason: string } | { kind: 'stopped' }
>;

/** The locks of a plan's calls, for its interpreters. */
export type Locks = Readonly<{
  /** Takes all locks of a plan that has several. */
  begin: (runner: CommandRunner) => Promise<void>;
  /** Takes the locks of a call. */
  enter: (call: number, runner: CommandRunner) => Promise<Entered>;
  /** The call that the check at an index stands before. */
  callOf: (check: number) => number | undefined;
  /** Releases the locks that no op from an index on needs. */
  passed: (op: number) => void;
}>;

/** Takes locks of other runs into account. */
export type LockPort = Readonly<{
  /** Waits for a lock. Returns false if the wait was stopped, and the reason if the lock cannot be taken. */
  take: (name: string, waiting: Waiting) => Promise<boolean | string>;
  release: (name: string) => void;
}>;

/** Whether an op of a call may run a command in this session. */
export type IsActive = (call: Call) => boolean;
