/** A requested run: its workflow, its parameters, and whether the process environment has a variable. */
export type LintedRun = Readonly<{
  workflow: string;
  params: ReadonlyMap<string, string>;
  inherits: (name: string) => boolean;
}>;
