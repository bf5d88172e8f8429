/**
 * A plan is everything a run does, as plain data that survives JSON: nothing in it is left to look
 * up, and nothing of the process it was made in is part of it.
 */
export interface Plan {
  /** The workflow asked for. */
  readonly workflow: string;
  /** `KEY:VALUE` parameters, the layer over every frame. */
  readonly params: readonly Variable[];
  readonly frames: readonly Frame[];
  readonly calls: readonly Call[];
  readonly ops: readonly Op[];
}

export type Variable = readonly [name: string, value: string];

/** A scope of variables inside another one. */
export interface Frame {
  /** Where the scope comes from, in words: `env of release`. */
  readonly source: string;
  /** The index of the frame around this one; null for the outermost. */
  readonly parent: number | null;
  readonly vars: readonly Variable[];
}

/** One time that a workflow is gone through: 0 is the workflow asked for, the others are calls. */
export interface Call {
  readonly workflow: string;
  /** Which step of which call it is; null for the workflow asked for. */
  readonly from: { readonly call: number; readonly step: number } | null;
  /** The index of the first op after the call began; its condition, if it has one, stands before. */
  readonly start: number;
}

/** The ops run in order; each names its frame by index. */
export type Op = HookOp | ConditionOp | RunOp;

/** A hook runs where it stands if the run is in the state it is for. */
export interface HookOp {
  readonly kind: 'hook';
  readonly hook: 'before_all' | 'after_all' | 'error';
  readonly when: 'start' | 'success' | 'failure';
  readonly frame: number;
  readonly command: string;
}

/** Where the test does not hold, the run goes on at `otherwise`. */
export interface ConditionOp {
  readonly kind: 'condition';
  readonly test: Test;
  readonly otherwise: number;
  readonly frame: number;
  readonly call: number;
  readonly step: number;
}

/** A variable holds if it is set and not empty, a command if it exits 0. */
export type Test =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'command'; readonly command: string };

export interface RunOp {
  readonly kind: 'run';
  readonly name: string;
  readonly command: string;
  readonly frame: number;
  /** The call that the step is part of, and its position in that workflow, from 1. */
  readonly call: number;
  readonly step: number;
}

/** The element that an index inside a plan names; a plan with a wrong index is a bug. */
export function at<Item>(table: readonly Item[], index: number): Item {
  const item = table[index];
  if (item === undefined) throw new Error(`the plan has no entry ${index}`);
  return item;
}
