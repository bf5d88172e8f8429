/** Whether the op at an index is not in the selected part of a plan. */
export type IsLeftOut = (op: number) => boolean;

/** Nothing is left out of a whole plan. */
export const NOTHING: IsLeftOut = () => false;
