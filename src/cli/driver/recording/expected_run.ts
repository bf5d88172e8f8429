import type { SharedStderr } from '../../../backend/outputs/shared_stderr.ts';
import type { DigestedPlan } from '../../../ir/views/plan_digest.ts';
import type { SessionHeader } from '../../../records/journal/record.ts';
import type { Prepared } from '../prepare_run.ts';

/**
 * The run that a user has approved in the process that started this one. Such a run is not started without a
 * record.
 */
export type ExpectedRun = Readonly<{
  /** The id of a new run. */
  run: string;
  agent: SessionHeader['agent'];
  /** Whether a plan and the texts beside it are what was shown. */
  isShown: (digested: DigestedPlan, texts: readonly string[]) => boolean;
  /** Called when the session has begun, with the standard error of the run. */
  onBegin: (shared: SharedStderr) => void;
}>;

/** The run of an agent, which reads its logs. */
export function withAgentLogs<Run extends Prepared>(prepared: Run, expected: ExpectedRun | undefined): Run {
  return expected?.agent === undefined ? prepared : { ...prepared, masksLogs: true };
}

/** The error for a plan that is not what was shown. */
export const CHANGED = 'the plan has changed since it was shown; nothing was started';

/** The field `agent` of a session's header. */
export function withAgent(expected: ExpectedRun | undefined): Pick<SessionHeader, 'agent'> {
  return expected?.agent === undefined ? {} : { agent: expected.agent };
}
