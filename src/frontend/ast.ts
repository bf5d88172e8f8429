import type { SourceRange } from './diagnostics/diagnostic.ts';
import type { JsonPath } from './references/json_path.ts';
import type { StepReference } from './references/step_references.ts';

/** A text of the file, where it stands, and what in it stands for outputs of steps. */
export type SourceText = Readonly<{ text: string; range: SourceRange; references: readonly StepReference[] }>;

/** Variable names and values, in file order. */
export type Variables = ReadonlyMap<string, SourceText>;

/** What a workflow file says, after every shape in it was checked. Blank hooks are undefined. */
export type WorkflowFile = Readonly<{
  env: Variables;
  beforeAll: SourceText | undefined;
  afterAll: SourceText | undefined;
  error: SourceText | undefined;
  finally: SourceText | undefined;
  workflows: ReadonlyMap<string, Workflow>;
}>;

/** `range` is where the workflow's name stands. */
export type Workflow = Readonly<{
  description: string;
  private: boolean;
  env: Variables;
  dir: string | undefined;
  steps: readonly Step[];
  range: SourceRange;
}>;

/**
 * `condition` is as written, undefined where there is none or it is blank; `offset` is where the step begins in the
 * file's text, in UTF-16 units.
 */
export type Step = RunStep | CallStep;
export type RunStep = Shared & Readonly<{ kind: 'run'; command: SourceText; options: StepOptions }>;
export type CallStep = Shared & Readonly<{ kind: 'call'; workflow: string }>;
type Shared = Readonly<{
  name: string;
  condition: SourceText | undefined;
  with: Variables;
  dir: string | undefined;
  offset: number;
}>;

/**
 * How a command is run, and what is taken from it: one object for all steps that say nothing of it. `timeout` is the
 * limit of each attempt, in milliseconds.
 */
export type StepOptions = Readonly<{
  outputs: readonly Output[];
  retry: Retry | null;
  timeout: number | null;
  allowFailure: boolean;
}>;

/** The variable that an output gives, and the path to its value. */
export type Output = readonly [variable: string, path: JsonPath];

/** At most so many attempts, the first one too, and so many milliseconds between two. */
export type Retry = Readonly<{ maxAttempts: number; delay: number }>;
