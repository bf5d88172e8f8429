import type { StepNumber } from '../../../frontend/diagnostics/diagnostic.ts';
import { at, type Call, type CommandOp, type Plan } from '../../../ir/plan.ts';
import { combinationsAround } from '../../../ir/steps/step_number.ts';
import { conditionParts } from '../../../ir/ops.ts';

/** A call of a workflow by a step of the call `caller`. The run itself is the call without a caller. */
export type ReportCall = Readonly<{
  workflow: string;
  caller: number | null;
  step: StepNumber | null;
  name: string | null;
}>;

/** The identity of an op: a step, a hook, or the condition of a step. */
export type OpIdentity = Readonly<{
  kind: 'step' | 'hook' | 'condition';
  name: string | null;
  workflow: string | null;
  call: number | null;
  step: StepNumber | null;
  command: string;
}>;

/** The identifying fields of an op. */
export function identity({ calls }: Plan, op: CommandOp): OpIdentity {
  if (op.kind === 'hook') {
    const owner = op.call === undefined ? null : at(calls, op.call).workflow;
    return { kind: 'hook', name: op.hook, workflow: owner, call: op.call ?? null, step: null, command: op.command };
  }
  const { call, step } = op;
  const position = { workflow: at(calls, call).workflow, call, step };
  return op.kind === 'run'
    ? { kind: 'step', name: op.name, ...position, command: op.command }
    : { kind: 'condition', name: null, ...position, command: conditionParts(op.test).text };
}

/** The fields of a call. */
export function reportCall({ workflow, from }: Call): ReportCall {
  return { workflow, caller: from?.call ?? null, step: from?.step ?? null, name: from?.name ?? null };
}

/** The combinations of the calls around an op, with a blank before; '' for an op outside of copies. */
export function copySuffix(calls: readonly ReportCall[], call: number | null): string {
  if (call === null) return '';
  const positions = calls.map(({ caller, step }) => {
    return { from: caller === null || step === null ? null : { call: caller, step } };
  });
  return combinationsAround({ calls: positions }, call);
}
