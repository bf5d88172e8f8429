/** An expected command, or an expected wait in milliseconds. */
export type Expected =
  | { readonly wait: number }
  | {
      readonly command: string;
      /** Variables of the file and the parameters, which override those of the process. */
      readonly variables: ReadonlyMap<string, string>;
      readonly errexit: boolean;
      readonly input: 'inherit' | 'none';
      readonly dir: string | null;
      readonly timeout: number | null;
      /** Whether it is a hook, which runs even in a cancelled branch. */
      readonly completes?: true;
      /** The references in the command, by their variables. */
      readonly references: ReadonlyMap<string, string>;
    };

/** How a command ends. `valueOf` is undefined if its standard output does not contain the outputs. */
export type Fate = Readonly<{ code: number; valueOf: ((output: string) => string) | undefined }>;

/** The expected result of a run. */
export interface Prediction {
  readonly commands: readonly Expected[];
  readonly steps: readonly object[];
  readonly success: boolean;
  /** References without a step. If there are any, nothing else happens. */
  readonly unresolved: ReadonlySet<string>;
}
