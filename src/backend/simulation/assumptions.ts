/**
 * What a simulated run takes for granted, by the indexes of ops: the exit codes of commands, the answers of conditions,
 * the values of outputs by their names, and the ops that are left out.
 */
export type Assumptions = Readonly<{
  exits: ReadonlyMap<number, number>;
  answers: ReadonlyMap<number, boolean>;
  outputs: ReadonlyMap<number, ReadonlyMap<string, string>>;
  leftOut: ReadonlySet<number>;
}>;
