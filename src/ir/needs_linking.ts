import { lookupsOfOp } from './ops.ts';
import type { ConditionOp, Frame, Op, Plan, StaleTest } from './plan.ts';

/** Whether a plan has dotenv files or references to variables, which `link` resolves. */
export function needsLinking({ frames, calls, ops, secrets = [] }: Plan): boolean {
  const refers =
    secrets.some(({ source }) => source?.lookups !== undefined) ||
    calls.some(({ lock }) => lock?.lookups !== undefined);
  return refers || frames.some(isOpenFrame) || ops.some((op) => lookupsOfOp(op).length > 0 || isOpenCheck(op));
}

/** Whether a pattern of a check refers to a variable. */
export function isOpenCheck(op: Op): op is ConditionOp & { readonly test: StaleTest } {
  if (op.kind !== 'condition' || op.test.kind !== 'stale') return false;
  return [...op.test.sources, ...op.test.generates].some(({ lookups }) => lookups !== undefined);
}

/** Whether the path of a dotenv file of a frame refers to a variable. */
export function hasChosenFile({ dotenv = [] }: Frame): boolean {
  return dotenv.some(({ lookups }) => lookups !== undefined);
}

/** Whether a frame has any. */
export function isOpenFrame({ vars, dotenv }: Frame): boolean {
  return dotenv !== undefined || vars.some(([, , , lookups]) => lookups !== undefined);
}
