import type { Frame, Plan } from './plan.ts';

/** Whether a plan has dotenv files or references to variables, which `link` resolves. */
export function needsLinking({ frames, ops, secrets = [] }: Plan): boolean {
  const refers = secrets.some(({ source }) => source?.lookups !== undefined);
  return refers || frames.some(isOpenFrame) || ops.some((op) => 'dirLookup' in op);
}

/** Whether a frame has any. */
export function isOpenFrame({ vars, dotenv }: Frame): boolean {
  return dotenv !== undefined || vars.some(([, , , lookups]) => lookups !== undefined);
}
