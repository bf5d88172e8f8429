export type Variables = readonly (readonly [name: string, value: string])[];

/**
 * A workflow file as created by a test: everything in order, nothing resolved. `isOrdered`: the members of each group run
 * one after the other, so that the order of commands is defined.
 */
export interface RandomFile {
  readonly isOrdered: boolean;
  readonly dotenv: readonly string[];
  readonly env: Variables;
  readonly before_all?: string;
  readonly after_all?: string;
  readonly error?: string;
  readonly finally?: string;
  readonly workflows: readonly RandomWorkflow[];
  readonly includes: readonly RandomInclude[];
  readonly secrets?: readonly RandomSecret[];
}

/** A secret of all files. Some steps and hooks list it. */
export interface RandomSecret {
  readonly name: string;
  readonly command: readonly string[];
  readonly value: string | undefined;
}

/** An included file. The file before it includes it. Its workflows are those from an index on, up to the next file's. */
export interface RandomInclude {
  readonly name: string;
  readonly first: number;
  readonly env: Variables;
  readonly dir: string | undefined;
}

/** The number of includes that lead to a workflow. */
export function depthOf({ includes }: RandomFile, workflow: number): number {
  return includes.filter(({ first }) => first <= workflow).length;
}

/** The name of a workflow in the file that `depth` includes lead to: `lib:deep:a`, or `deep:a` in `lib`. */
export function nameIn(file: RandomFile, workflow: number, depth = 0): string {
  const prefixes = file.includes.slice(depth, depthOf(file, workflow)).map(({ name }) => `${name}:`);
  return `${prefixes.join('')}${file.workflows[workflow]?.name ?? ''}`;
}

export interface RandomWorkflow {
  readonly name: string;
  readonly once?: boolean;
  readonly inputs: readonly RandomInput[];
  readonly env: Variables;
  readonly dir: string | undefined;
  readonly error?: string;
  readonly finally?: string;
  readonly steps: readonly RandomStep[];
}

/** Whether some steps contain any command. */
export function haveCommands(file: RandomFile, steps: readonly RandomStep[]): boolean {
  return steps.some((step) => {
    if (step.kind === 'call') return haveCommands(file, file.workflows[step.target]?.steps ?? []);
    return step.kind === 'group' ? haveCommands(file, step.members) : true;
  });
}

/** `default` is the value for commands, and `written` the value in the file, in JSON. */
export interface RandomInput {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'choice';
  readonly required?: true;
  readonly default?: string;
  readonly written?: string;
  readonly options?: readonly string[];
}

export type RandomStep =
  | { readonly kind: 'short'; readonly run: string }
  | (Shared & Copied & HowToRun & { readonly kind: 'run'; readonly run: string })
  | (Shared & Copied & { readonly kind: 'call'; readonly target: number })
  | (Shared & GroupFields & { readonly kind: 'group'; readonly members: readonly RandomStep[] });

interface Shared {
  readonly name?: string;
  readonly if?: string;
  readonly with: Variables;
  readonly dir: string | undefined;
}

/** The variables of a matrix, each with its values and their labels. */
export type Matrix = readonly (readonly [name: string, values: readonly MatrixValue[]])[];
export type MatrixValue = readonly [value: string, label: string];

interface Copied {
  readonly matrix?: Matrix | undefined;
}

export interface GroupFields {
  readonly max_parallel?: number | undefined;
  readonly fail_fast?: boolean | undefined;
  readonly output?: 'grouped' | undefined;
}

export interface HowToRun {
  readonly outputs?: Variables | undefined;
  readonly retry?: { readonly max_attempts: number; readonly delay: Duration } | undefined;
  readonly timeout?: Duration | undefined;
  readonly allow_failure?: boolean | undefined;
  readonly confirm?: string | undefined;
  readonly sources?: readonly string[] | undefined;
  readonly generates?: readonly string[] | undefined;
  /** The mode of the output of a step in the background, which prints `ready`. */
  readonly background?: 'lines' | 'grouped' | undefined;
}

/** A duration as written in the file, as passed to a port, and as shown in a dry run. */
export interface Duration {
  readonly text: string;
  readonly milliseconds: number;
  readonly shown: string;
}
