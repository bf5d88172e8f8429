import type { Plan, RunOp, Variable } from '../../ir/plan.ts';
import { isStopped, type CommandRunner, type Exit } from '../command_runner.ts';
import type { MissingOutputs } from '../missing_outputs.ts';
import type { Requests } from '../command_requests.ts';
import type { RunJournal } from '../run_journal.ts';

/**
 * Whether a condition holds, and whether it failed the run. `exit` is the end of its command, null if there was none.
 * `outputs` are those of a step that is up to date. `refusal` is the reason why a call cannot begin. `ended` receives the
 * end of a call that runs first, and whether it succeeded.
 */
export type ConditionResult = Readonly<{
  holds: boolean;
  failed: boolean;
  exit: Exit | null;
  outputs?: readonly Variable[];
  refusal?: string;
  ended?: (succeeded: boolean) => void;
}>;

/** The parts of a run that checks need. */
export type CheckParts = Readonly<{ plan: Plan; journal: RunJournal; requests: Requests; missing: MissingOutputs }>;

/**
 * A step as the check of its files sees it: its patterns, the variables that the file or a parameter sets or declares in
 * its scope, except secret ones, and the values of the outputs that its command refers to.
 */
export type CheckedStep = Readonly<{
  op: RunOp;
  sources: readonly string[];
  generates: readonly string[];
  variables: readonly Variable[];
  reads: readonly string[];
}>;

/** Waits for a time in milliseconds, or until `isStopped`. */
export type Waiting = Pick<CommandRunner, 'wait'> & Readonly<{ isStopped: () => boolean }>;

export function waitingOf(runner: CommandRunner): Waiting {
  return { wait: (milliseconds) => runner.wait(milliseconds), isStopped: () => isStopped(runner) };
}

/** A step that is about to start, with the receiver of its success; or its outputs, if it is up to date. */
export type StartedStep = Readonly<
  | { kind: 'up to date'; outputs: readonly Variable[] }
  | { kind: 'starts'; ended: (outputs: readonly Variable[] | undefined) => Promise<void> }
>;

/** The records of steps, and the files that they are about. */
export type FileChecks = Readonly<{
  /** The outputs of a step that is up to date; undefined for any other one, after a line with the reasons. */
  test: (step: CheckedStep, waiting: Waiting) => Promise<readonly Variable[] | undefined>;
  /** Undefined if the wait for another run of the step was stopped. */
  start: (step: CheckedStep, waiting: Waiting) => Promise<StartedStep | undefined>;
  /** Removes the record of a step. */
  forget: (step: CheckedStep) => void;
}>;

export const HOLDS: ConditionResult = { holds: true, failed: false, exit: null };

export const SKIPS: ConditionResult = { holds: false, failed: false, exit: null };
