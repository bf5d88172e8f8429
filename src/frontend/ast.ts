import type { SourceRange } from './diagnostics/diagnostic.ts';
import type { JsonPath } from './references/json_path.ts';
import type { StepReference, VariableReference } from './references/step_references.ts';

/**
 * A text of the file, its range, and its references to outputs of steps. `lines` has the ranges of the lines of a
 * script, which is a list in the file; `variables` the references of a value to variables of outer scopes, if it has any.
 */
export type SourceText = Readonly<{
  text: string;
  range: SourceRange;
  references: readonly StepReference[];
  variables?: readonly VariableReference[];
  lines?: readonly SourceRange[];
}>;

/** The values that each variable of a step takes, in file order. The step runs once for each combination. */
export type Matrix = ReadonlyMap<string, readonly SourceText[]>;

/** Variable names and values, in file order. */
export type Variables = ReadonlyMap<string, SourceText>;

/**
 * A workflow file whose shapes are all valid. Blank hooks are undefined. `default` is the name of the workflow to run
 * where none is named.
 */
export type WorkflowFile = Readonly<{
  files: readonly IncludedFile[];
  include: readonly Include[];
  dotenv: readonly string[];
  default: string | undefined;
  env: Variables;
  beforeAll: SourceText | undefined;
  afterAll: SourceText | undefined;
  error: SourceText | undefined;
  finally: SourceText | undefined;
  workflows: ReadonlyMap<string, Workflow>;
}>;

/** The path of an included file, relative to the file asked for, and the offset at which its text begins. */
export type IncludedFile = Readonly<{ path: string; start: number }>;

/** An include: the name before those of its workflows, its path, and the directory of workflows without one. */
export type Include = Readonly<{ name: string; file: string; dir: string | undefined; range: SourceRange }>;

/**
 * What an included file gives to its workflows. `name` is that of the include, with those around it; `outer` the scope of
 * the file that includes it, null for the one that was asked for.
 */
export type FileScope = Readonly<{ name: string; env: Variables; dotenv: readonly string[] }> &
  Readonly<{ dir: string | undefined; outer: FileScope | null }>;

/**
 * `scope` is that of the included file, null in the file asked for. `aliases` are other names on the command line. `range` is the range of the workflow's name. `inputs` is null if the
 * workflow declares none.
 */
export type Workflow = Readonly<{
  description: string;
  private: boolean;
  aliases: readonly string[];
  inputs: readonly Input[] | null;
  env: Variables;
  dotenv: readonly string[];
  dir: SourceText | undefined;
  steps: readonly Step[];
  range: SourceRange;
  scope: FileScope | null;
}>;

/**
 * A declared parameter. The default of a boolean is `true` or empty. `options` are the values of a choice, empty for
 * other types.
 */
export type Input = Readonly<{
  name: string;
  description: string;
  required: boolean;
  default: string | null;
  type: 'string' | 'boolean' | 'choice';
  options: readonly string[];
  secret: boolean;
}>;

/**
 * `condition` is as written, undefined if it is missing or blank. `offset` is the offset of the step in the file's text,
 * in UTF-16 units.
 */
export type Step = RunStep | CallStep | GroupStep;
export type RunStep = Shared & Readonly<{ kind: 'run'; command: SourceText; options: StepOptions }>;
export type CallStep = Shared & Readonly<{ kind: 'call'; workflow: string }>;
/** Steps that run side by side. */
export type GroupStep = Shared & Readonly<{ kind: 'group'; members: readonly Step[]; group: GroupOptions }>;
type Shared = Readonly<{
  name: string;
  condition: SourceText | undefined;
  with: Variables;
  matrix: Matrix | null;
  dir: SourceText | undefined;
  offset: number;
}>;

/**
 * How a command runs, and the outputs it gives. Steps without any of these fields share one object. `timeout` is the
 * limit of each attempt, in milliseconds. `confirm` is a question that is asked before the step runs.
 */
export type StepOptions = Readonly<{
  outputs: readonly Output[];
  retry: Retry | null;
  timeout: number | null;
  allowFailure: boolean;
  onCrash: CrashChoice;
  confirm: string | null;
}>;

/** What a resume does with a step that was running when the run was killed. */
export type CrashChoice = 'ask' | 'rerun' | 'fail';

/**
 * How the members of a group run: how many at a time (null without a limit), whether the first failure ends the others,
 * and whether the output of each member is printed as a whole.
 */
export type GroupOptions = Readonly<{ maxParallel: number | null; failFast: boolean; output: 'lines' | 'grouped' }>;

/** The name of an output, and the path to its value in the standard output, or `text` for all of it. */
export type Output = readonly [variable: string, source: JsonPath | 'text'];

/** The maximum number of attempts, the first included, and the milliseconds between two attempts. */
export type Retry = Readonly<{ maxAttempts: number; delay: number }>;
