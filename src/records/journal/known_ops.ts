import type { Exit } from '../../backend/command_runner.ts';
import type { KeptResult, KnownOp } from '../../backend/run_journal.ts';
import { VOUCHED, type FinishedStep, type History, type RecordedOutput } from '../../ir/resume/history.ts';
import type { ConditionState, ResumeStates, StepState } from '../../ir/resume/resume_states.ts';
import { at, type Plan, type Variable } from '../../ir/plan.ts';
import type { EndRecord } from './record.ts';

/** Failure reason of a step that was running when an earlier session ended. */
const IN_FLIGHT = 'it must not run again, and was running when the run was killed';

/**
 * The state of each op for the interpreter, from the states of a resume. `leavesOutEnd`: the selected part ends before
 * the workflow does.
 */
export function knownOps(
  plan: Plan,
  { steps, conditions, hooks }: ResumeStates,
  { afterAll }: History,
  leavesOutEnd: boolean,
): (op: number) => KnownOp | undefined {
  return (index) => {
    const op = at(plan.ops, index);
    switch (op.kind) {
      case 'run':
        return knownStep(steps.get(index));
      case 'condition':
        return knownCondition(conditions.get(index));
      case 'hook': {
        const state = hooks.get(index);
        if (state?.runs === false) return { kind: 'left out' };
        if (state?.cleaned === true) return { kind: 'cleaned' };
        if (op.hook !== 'after_all') return undefined;
        if (leavesOutEnd) return { kind: 'left out' };
        return afterAll === null ? undefined : { kind: 'finished', result: keptResult({ ...VOUCHED, ...afterAll }) };
      }
      case 'parallel':
      case 'stop':
        return undefined;
    }
  };
}

function knownStep(state: StepState | undefined): KnownOp | undefined {
  switch (state?.kind) {
    case 'kept':
      return { kind: 'finished', result: keptResult(state.finished) };
    case 'skipped':
    case 'not needed':
    case 'not selected':
      return { kind: 'left out' };
    case 'unknown':
      return state.onCrash === 'fail' ? { kind: 'failed', reason: IN_FLIGHT } : undefined;
    case 'run':
    case 'again':
    case 'restored':
    case 'started':
    case 'changed':
    case 'new':
    case 'out of order':
    case 'lost output':
    case 'moved':
    case undefined:
      return undefined;
  }
}

function knownCondition(state: ConditionState | undefined): KnownOp | undefined {
  if (state?.kind !== 'decided') return undefined;
  const { holds, outputs } = state;
  return { kind: 'decided', holds, ...(outputs !== undefined && { outputs: knownOutputs(outputs) }) };
}

/** The outputs of a step that was up to date, none of which is secret. */
export function knownOutputs(outputs: readonly RecordedOutput[] = []): readonly Variable[] {
  return outputs.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

function keptResult({ exitCode, failed, attempts, outputs, problem, limit }: FinishedStep): KeptResult {
  const exit = exitOf({ exit: exitCode ?? 0, outputs, why: problem ?? undefined, limit });
  return { exitCode, attempts, failed, exit };
}

type RecordedExit = Pick<EndRecord, 'exit' | 'outputs' | 'why' | 'limit' | 'cancelled' | 'rejected' | 'early'>;

/** The exit of a command from its record. */
export function exitOf({ exit: code, outputs = [], why, limit, cancelled, rejected, early }: RecordedExit): Exit {
  if (limit !== undefined) return { kind: 'timed out', limit, ...(why !== undefined && { waited: why }) };
  if (cancelled === true) return { kind: 'cancelled', code, ...(why !== undefined && { because: why }) };
  if (early === true) return { kind: 'ended early', code, reason: why ?? '' };
  if (rejected === true) return { kind: 'rejected', rejection: { kind: 'not runnable', code } };
  const exited = { kind: 'exited', code } as const;
  // Outputs are read only after exit code 0.
  if (why !== undefined && code !== 0) return { kind: 'not started', reason: why };
  if (why !== undefined) return { ...exited, outputs: { ok: false, problems: [why] } };
  return outputs.length === 0 ? exited : { ...exited, outputs: { ok: true, values: outputs } };
}
