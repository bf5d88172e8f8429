import type { Plan } from '../ir/plan.ts';
import type { CheckParts } from './checks/check_port.ts';
import type { PlanChecks } from './checks/plan_checks.ts';
import type { CommandRunner, Supervision } from './command_runner.ts';
import type { ConfirmationParts, Confirmations } from './confirmations.ts';
import type { CallLocks } from './locks/call_locks.ts';
import type { MissingOutputs } from './missing_outputs.ts';
import type { Requests } from './command_requests.ts';
import type { RunJournal } from './run_journal.ts';
import type { SessionSecrets } from './secrets/session_secrets.ts';
import type { HookResult, RunEvent, StepResult } from './run_event.ts';

/**
 * `base` is the environment below the plan's variables. With `strict`, a condition that could not be run fails the run.
 * `observe` receives every event, `beforeEnd` the end of each attempt before it is recorded in `journal`. Without `confirm`, steps with a question do not run.
 * `secrets` are those of the plan, if it has any. Without `checks`, each step counts as not up to date, and each call as
 * the first; without `locks`, no call waits for another one.
 */
export type RunSettings = Readonly<{
  base: ReadonlyMap<string, string>;
  strict: boolean;
  isSimulated?: true;
  observe: (event: RunEvent) => void;
  beforeEnd?: (event: RunEvent) => void;
  journal?: RunJournal;
  confirm?: ((parts: ConfirmationParts) => Confirmations) | undefined;
  secrets?: SessionSecrets | undefined;
  checks?: ((parts: CheckParts) => PlanChecks) | undefined;
  locks?: ((journal: RunJournal) => CallLocks) | undefined;
}>;

/** State shared by the branches of a run. */
export type SharedState = Readonly<{
  plan: Plan;
  settings: RunSettings;
  journal: RunJournal;
  /** Numbers the commands of the run, from 1. */
  nextNumber: () => number;
  requests: Requests;
  missing: MissingOutputs;
  confirmations: Confirmations | undefined;
  checks: PlanChecks | undefined;
  locks: CallLocks | undefined;
  /** Supervises the steps in the background of a range of ops; undefined for a plan without any. */
  supervise: ((runner: CommandRunner, onFailure: () => void) => Supervision) | undefined;
  /** The ops whose commands have started, except each `finally`. */
  started: Set<number>;
  steps: StepResult[];
  hooks: HookResult[];
}>;
