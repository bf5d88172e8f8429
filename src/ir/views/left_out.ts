/** Whether the op at an index is not in the selected part of a plan. */
export type LeftOut = (op: number) => boolean;

/** Nothing is left out of a whole plan. */
export const NOTHING: LeftOut = () => false;
