/**
 * The assumptions of a simulated run, by op index: exit codes of commands, results of conditions, values of outputs by
 * name, and ops that are left out.
 */
export type Assumptions = Readonly<{
  exits: ReadonlyMap<number, number>;
  answers: ReadonlyMap<number, boolean>;
  outputs: ReadonlyMap<number, ReadonlyMap<string, string>>;
  leftOut: ReadonlySet<number>;
}>;
