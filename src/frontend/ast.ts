import type { SourceRange } from './syntax/source_range.ts';
import type { OutputMode, OutputSource, StepOptions } from './schema/option_fields.ts';
import type { StepReference, VariableReference } from './references/step_references.ts';

/**
 * A text of the file, its range, and its references to outputs of steps. `lines` holds the range of each line, if the
 * text is a script written as an array. `variables` holds references to variables of outer scopes, if any.
 */
export type SourceText = Readonly<{
  text: string;
  range: SourceRange;
  references: readonly StepReference[];
  variables?: readonly VariableReference[];
  lines?: readonly SourceRange[];
}>;

/** A name in the `secrets` of a command, with its range. */
export type ListedSecret = Readonly<{ name: string; range: SourceRange }>;

/** The command of a step or hook, and the secrets that it gets; absent if it lists none. */
export type CommandText = SourceText & Readonly<{ secrets?: readonly ListedSecret[] }>;

/**
 * A program that prints a secret: the program and its arguments, the part of its standard output that is the value, and
 * its time limit in milliseconds. `range` is that of the secret's name.
 */
export type SecretSource = Readonly<{
  command: readonly SourceText[];
  value: OutputSource;
  timeout: number;
  range: SourceRange;
}>;

/** The secrets that a file declares, in file order. */
export type Secrets = ReadonlyMap<string, SecretSource>;

/** The values of each matrix variable of a step, in file order. The step runs once for each combination. */
export type Matrix = ReadonlyMap<string, readonly SourceText[]>;

/** Variable names and values, in file order. */
export type Variables = ReadonlyMap<string, SourceText>;

/**
 * A workflow file whose shapes are all valid. Blank hooks are undefined. `default` is the name of the workflow that
 * `cli run` runs without a name. `agents` is the policy for its workflows without one of their own.
 */
export type WorkflowFile = Readonly<{
  files: readonly IncludedFile[];
  include: readonly Include[];
  dotenv: readonly SourceText[];
  default: string | undefined;
  agents: AgentPolicy | undefined;
  env: Variables;
  secrets: Secrets;
  beforeAll: CommandText | undefined;
  afterAll: CommandText | undefined;
  error: CommandText | undefined;
  finally: CommandText | undefined;
  workflows: ReadonlyMap<string, Workflow>;
}>;

/** Whether an agent may start a run: at once, after a person has approved its plan, or never. */
export type AgentPolicy = 'allow' | 'ask' | 'deny';

/** The path of an included file, relative to the root file, and the offset at which its text begins. */
export type IncludedFile = Readonly<{ path: string; start: number }>;

/** An include: the prefix of its workflows' names, its path, and the directory for workflows without a `dir`. */
export type Include = Readonly<{ name: string; file: string; dir: string | undefined; range: SourceRange }>;

/**
 * The scope of an included file. `name` is made of the names of the enclosing includes and its own. `outer` is the
 * scope of the including file, null for the root file.
 */
export type FileScope = Readonly<{ name: string; env: Variables; dotenv: readonly SourceText[]; secrets: Secrets }> &
  Readonly<{ agents: AgentPolicy | undefined; dir: string | undefined; outer: FileScope | null }>;

/**
 * A workflow. Blank hooks are undefined. `aliases` are other names on the command line. `agents` is the workflow's own policy. `inputs` is null if it declares none. `once`:
 * equal calls of it run once in a run. `logs`: whether a run of it stores output, if the file says so. `lock`: the name of its lock. `range` is the range of the workflow's name. `scope` belongs to the included file, and is null in the root file.
 */
export type Workflow = Readonly<{
  description: string;
  private: boolean;
  agents: AgentPolicy | undefined;
  aliases: readonly string[];
  inputs: readonly Input[] | null;
  env: Variables;
  dotenv: readonly SourceText[];
  dir: SourceText | undefined;
  error: CommandText | undefined;
  finally: CommandText | undefined;
  once: boolean;
  logs: boolean | undefined;
  lock: SourceText | undefined;
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
 * A step. `condition` is as written, undefined if it is missing or blank. `question` is the text of `confirm`, if it
 * contains references. `offset` is the step's offset in the file's
 * text, in UTF-16 units.
 */
export type Step = RunStep | CallStep | GroupStep;
export type RunStep = Shared &
  Readonly<{ kind: 'run'; command: CommandText; options: StepOptions; check: StepCheck | null }> &
  Readonly<{ ready?: SourceText; question?: SourceText }>;
export type CallStep = Shared & Readonly<{ kind: 'call'; workflow: string }>;
/** Steps that run in parallel. */
export type GroupStep = Shared & Readonly<{ kind: 'group'; members: readonly Step[]; group: GroupOptions }>;
type Shared = Readonly<{
  name: string;
  condition: SourceText | undefined;
  with: Variables;
  matrix: Matrix | null;
  dir: SourceText | undefined;
  offset: number;
}>;

/** The patterns of the source files of a step, and of its generated files. */
export type StepCheck = Readonly<{ sources: readonly SourceText[]; generates: readonly SourceText[] }>;

/**
 * The options of a group: the maximum number of members that run at a time (null for no limit), whether the first
 * failure cancels the others, and whether the output of each member is printed as a whole.
 */
export type GroupOptions = Readonly<{ maxParallel: number | null; failFast: boolean; output: OutputMode }>;
