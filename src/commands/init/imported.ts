/** Variables, in order. */
export type ImportedVariables = ReadonlyMap<string, string>;

/**
 * A step of a workflow file. `once`: the other tool runs the called task at most once, whereas a workflow runs it each
 * time.
 */
export type ImportedStep =
  | (Readonly<{ name?: string; run: string; with?: ImportedVariables; outputs?: ImportedVariables }> &
      Readonly<{ allow_failure?: true; confirm?: string }>)
  | Readonly<{ workflow: string; with?: ImportedVariables; once?: true }>;

export type ImportedWorkflow = Readonly<{
  name: string;
  description?: string | undefined;
  private?: boolean;
  aliases?: readonly string[];
  /** The names of the inputs that must have a value. */
  required?: readonly string[];
  env?: ImportedVariables;
  dir?: string | undefined;
  steps: readonly ImportedStep[];
}>;

/**
 * The workflows from the file of another tool, and a line for each part that was left out. `noun` is the tool's word
 * for a workflow.
 */
export type Imported = Readonly<{
  noun: 'script' | 'recipe' | 'task' | 'target';
  /** The default workflow. It may have been left out. */
  default?: string | undefined;
  dotenv?: readonly string[];
  env: ImportedVariables;
  workflows: readonly ImportedWorkflow[];
  leftOut: readonly string[];
}>;

/** The end of a sentence about workflows of the other tool: `recipe 'a'`, `recipes 'a', 'b'`. */
export function named(noun: Imported['noun'], names: readonly string[]): string {
  return `${noun}${names.length === 1 ? '' : 's'} ${names.map((name) => `'${name}'`).join(', ')}`;
}

/** Thrown for a construct that cannot be converted. The converters catch it for each workflow. */
export class LeftOut extends Error {}

/** The result of a conversion, or the reason why it failed. */
export function attempt<Result>(convert: () => Result): Result | LeftOut {
  try {
    return convert();
  } catch (error) {
    if (error instanceof LeftOut) return error;
    throw error;
  }
}
