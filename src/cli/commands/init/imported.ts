/** Variables, in order. */
export type ImportedVariables = ReadonlyMap<string, string>;

/**
 * A step of a workflow file. `once`: the other tool runs the called task at most once, whereas a workflow would run it for
 * each call; `after`: once more after the commands of the caller, whatever has run before; `any`: once, whatever the
 * values of its variables; `always`: for each call, but without what it calls and has run before.
 */
export type ImportedStep =
  | (Readonly<{
      name?: string;
      run: string | readonly string[];
      with?: ImportedVariables;
      outputs?: ImportedVariables;
    }> &
      Readonly<{ dir?: string | undefined; allow_failure?: true; confirm?: string }> &
      Readonly<{ sources?: readonly string[]; generates?: readonly string[] }>)
  | Readonly<{ workflow: string; with?: ImportedVariables; once?: true | 'after' | 'any' | 'always' }>
  | Readonly<{ parallel: readonly ImportedStep[] }>;

export type ImportedWorkflow = Readonly<{
  name: string;
  description?: string | undefined;
  private?: boolean;
  /** Why it is not converted, but calls the other tool. */
  comment?: string;
  /** Whether equal calls of it run once in a run. */
  once?: boolean;
  aliases?: readonly string[];
  /** The names of the inputs that must have a value. */
  required?: readonly string[];
  env?: ImportedVariables;
  dir?: string | undefined;
  steps: readonly ImportedStep[];
}>;

/** A workflow that cannot be converted. `place` is the line of the file. */
export type Unconverted = Readonly<{ name: string; reason: string; place?: string }>;

/**
 * The workflows from the file of another tool, and a line for each part that was left out. `noun` is the tool's word
 * for a workflow. `call` returns a workflow that calls the tool, undefined if the tool does not run that name.
 */
export type Imported = Readonly<{
  noun: 'script' | 'recipe' | 'task' | 'target';
  /** The default workflow. It may have been left out. */
  default?: string | undefined;
  dotenv?: readonly string[];
  env: ImportedVariables;
  workflows: readonly ImportedWorkflow[];
  leftOut: readonly (string | Unconverted)[];
  call: (name: string) => ImportedWorkflow | undefined;
}>;

/** The calls among steps, also those in groups. */
export function callsIn(steps: readonly ImportedStep[]): Extract<ImportedStep, { workflow: string }>[] {
  return steps.flatMap((step) => {
    if ('parallel' in step) return callsIn(step.parallel);
    return 'workflow' in step ? [step] : [];
  });
}

/** The names of the workflows that steps call. */
export function calledBy(steps: readonly ImportedStep[]): string[] {
  return callsIn(steps).map(({ workflow }) => workflow);
}

/** The calls as one step if the other tool starts them together. */
export function together(calls: readonly ImportedStep[], isParallel: boolean): readonly ImportedStep[] {
  return isParallel && calls.length > 1 ? [{ parallel: calls }] : calls;
}

/** The workflows of a list that others call, directly or not. */
export function calledAmong(
  list: readonly ImportedWorkflow[],
  callers: readonly ImportedWorkflow[],
): readonly ImportedWorkflow[] {
  const known = new Map(list.map((workflow) => [workflow.name, workflow]));
  const called = new Set(callers.flatMap(({ steps }) => calledBy(steps)));
  for (const name of called) for (const each of calledBy(known.get(name)?.steps ?? [])) called.add(each);
  return list.filter(({ name }) => called.has(name));
}

/** The end of a sentence about workflows of the other tool: `recipe 'a'`, `recipes 'a', 'b'`. */
export function named(noun: Imported['noun'], names: readonly string[]): string {
  return `${noun}${names.length === 1 ? '' : 's'} ${names.map((name) => `'${name}'`).join(', ')}`;
}

/** Thrown for a construct that cannot be converted. The converters catch it for each workflow. */
export class LeftOut extends Error {}

export function fail(reason: string): never {
  throw new LeftOut(reason);
}

/** The result of a conversion, or the reason why it failed. */
export function attempt<Result>(convert: () => Result): Result | LeftOut {
  try {
    return convert();
  } catch (error) {
    if (error instanceof LeftOut) return error;
    throw error;
  }
}
