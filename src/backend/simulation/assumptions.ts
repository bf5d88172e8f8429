/**
 * The assumptions of a simulated run, by op index: exit codes of commands, results of conditions, values of outputs by
 * name, ops that are left out, and steps in the background that end by themselves after the first step behind them.
 */
export type Assumptions = Readonly<{
  exits: ReadonlyMap<number, number>;
  answers: ReadonlyMap<number, boolean>;
  outputs: ReadonlyMap<number, ReadonlyMap<string, string>>;
  leftOut: ReadonlySet<number>;
  dying: ReadonlySet<number>;
}>;
