import { constants } from 'node:os';
import { isNotRunnable, type Exit } from '../../backend/command_runner.ts';
import { conditionParts } from '../../ir/ops.ts';
import { describeCall } from '../../ir/steps/describe_op.ts';
import type { ConditionOp, Plan } from '../../ir/plan.ts';

/** A line about a skipped step or call. */
export function describeSkip(plan: Plan, op: ConditionOp, name: string, exit: Exit | null): string {
  if (op.test.kind === 'first') {
    const called = plan.calls.findIndex(({ from }) => from?.call === op.call && from.step === op.step);
    return `skipped ${called === -1 ? `workflow '${name}'` : describeCall(plan, called)}: ${skipReason(op, exit)}`;
  }
  return `skipped step '${name}' of ${describeCall(plan, op.call)}: ${skipReason(op, exit)}`;
}

/** The predicate for a step that does not run because of its question. */
export function describeDeclined({ asked }: Readonly<{ asked: boolean }>): string {
  return asked ? 'was declined' : 'asks a question, but there is no terminal, or CI is set; to answer yes, add --yes';
}

/** The reason in a report; null if the answer was no. */
export function declineReason({ asked }: Readonly<{ asked: boolean }>): string | null {
  return asked ? null : 'there was no terminal to ask at, or CI was set';
}

/** The reason for a skipped step. `exit` is the end of its condition's command, null for a variable. */
export function skipReason({ test }: ConditionOp, exit: Exit | null): string {
  if (isNotRunnable(exit)) return `its condition ${describeNotRunnable(exit.code)}`;
  return conditionParts(test).unmet;
}

/** The predicate for a condition whose command has exit code 126 or 127. */
export function describeNotRunnable(code: number): string {
  return `could not be run (${[`exit code ${code}`, ...exitCodeMeaning(code)].join(', ')})`;
}

/** The common meaning of an exit code; empty if there is none. */
export function exitCodeMeaning(code: number): string[] {
  if (code === 126) return ['found, but could not be executed'];
  if (code === 127) return ['command not found'];
  const signal = signalOf(code);
  return signal === undefined ? [] : [`terminated by ${signal}`];
}

/** The signal that an exit code represents, by the convention of shells: 128 plus the signal's number. */
export function signalOf(code: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
}
