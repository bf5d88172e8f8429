/** Reads the content of files. `undefined`: there is no such file. A problem is thrown, and becomes a diagnostic. */
export interface Files {
  read(path: string): string | Uint8Array | undefined;
  /** The path without links: paths of one file have the same. Without this function, a path is its own. */
  realPath?(path: string): string;
}

/** A text of a project, and its path as messages show it. */
export type ProjectFile = Readonly<{ path: string; text: string }>;

/** A workflow file with the files that it includes, which begins with the file itself. `valid`: it has no errors. */
export type Project = Readonly<{ path: string; valid: boolean; files: readonly ProjectFile[] }>;

/** A range in a file. Lines and columns count from 1, columns in UTF-16 units. */
export type Place = Readonly<{ file: string; line: number; column: number; endLine: number; endColumn: number }>;

/** A step of a workflow, counted from 1; a text such as `2.1` for a member of a group; null outside of steps. */
export type StepPosition = number | string | null;

/** An error or a warning. `workflow` is empty outside of workflows. */
export type Diagnostic = Place &
  Readonly<{ severity: 'error' | 'warning'; code: string; message: string; workflow: string; step: StepPosition }>;

/** A text for the shell. `name` is that of its step or hook. */
export type Command = Place &
  Readonly<{
    kind: 'step' | 'condition' | 'hook';
    workflow: string;
    step: StepPosition;
    name: string;
    command: string;
  }>;

/** A name where it is defined or used. `certain` is false for a word of a command that is no active expansion. */
export type Name = Place &
  Readonly<{
    kind: 'workflow' | 'step' | 'output' | 'variable';
    name: string;
    role: 'definition' | 'use';
    certain: boolean;
  }>;

/** An input that a workflow declares. Fields with their defaults are absent. */
export type ListedInput = Readonly<{
  name: string;
  description?: string;
  required?: true;
  default?: string;
  type?: 'boolean' | 'choice';
  options?: readonly string[];
  secret?: true;
}>;

/** A workflow, as in the document of `cli workflow list --all`. */
export type ListedWorkflow = Readonly<{
  name: string;
  description: string;
  private: boolean;
  step_count: number;
  aliases?: readonly string[];
  inputs?: readonly ListedInput[];
  logs?: boolean;
  agents?: 'allow' | 'ask' | 'deny';
}>;

declare const plan: unique symbol;

/** Everything that a run of a workflow does. Only functions of this package read its content. */
export type Plan = Readonly<{ workflow: string; [plan]: true }>;

/** A plan, or the reasons why there is none. */
export type Result = Readonly<{ ok: true; plan: Plan } | { ok: false; diagnostics: readonly Diagnostic[] }>;

/** A hook of the file in a dry run. */
export type DryRunHook = Readonly<{ command: string; secrets?: readonly string[] }>;

/** A hook of a workflow in a dry run. */
export type DryRunWorkflowHook = DryRunHook & Readonly<{ hook: string; workflow: string; step?: string }>;

/** A command in a dry run, with its options as in the file. */
export type DryRunStep = Readonly<{
  name: string;
  command: string;
  if?: string | readonly string[];
  env?: Readonly<Record<string, string>>;
  dir?: string;
  secrets?: readonly string[];
  outputs?: Readonly<Record<string, string>>;
  retry?: Readonly<{ max_attempts: number; delay: string }>;
  timeout?: string;
  allow_failure?: true;
  on_crash?: 'rerun' | 'fail';
  on_resume?: 'keep' | 'rerun';
  confirm?: string;
  background?: true;
  ready?: Readonly<{ port?: string | number; url?: string; output?: string; run?: string }>;
  output?: 'grouped';
}>;

/** The end of steps in the background in a dry run, by their names. */
export type DryRunStop = Readonly<{ stop: readonly string[] }>;

/** Steps that run in parallel in a dry run. A member that calls several steps has them in `steps`. */
export type DryRunGroup = Readonly<{
  parallel: readonly (
    | DryRunStep
    | DryRunGroup
    | DryRunStop
    | Readonly<{ name: string; steps: readonly (DryRunStep | DryRunGroup | DryRunStop)[] }>
  )[];
  name?: string;
  max_parallel?: number;
  fail_fast?: true;
  output?: 'grouped';
}>;

/** The document of `cli workflow run --dry-run`. */
export type DryRun = Readonly<{
  workflow: string;
  dry_run: true;
  locks?: readonly string[];
  before_all?: DryRunHook;
  steps: readonly (DryRunStep | DryRunGroup | DryRunStop)[];
  after_all?: DryRunHook;
  error?: DryRunHook;
  finally?: DryRunHook;
  hooks?: readonly DryRunWorkflowHook[];
}>;

/** A value, and what sets it. */
export type Setting = Readonly<{ value: string; source: string }>;

/** A variable of a step, with the settings that it overrides, strongest first. */
export type ExplainedVariable = Setting & Readonly<{ name: string; over: readonly Setting[] }>;

/** A step, as in the document of `cli workflow explain`. */
export type ExplainedStep = Readonly<{
  path: readonly string[];
  workflow: string;
  step: number | string;
  name: string;
  file?: string;
  line?: number;
  column?: number;
  command: string;
  background?: readonly string[];
  variables: readonly ExplainedVariable[];
  reads?: readonly Readonly<{ output: string; name: string; workflow: string; step: number | string }>[];
}>;

/** `strict`: warnings are errors. `portable`: also warnings of shell syntax that bash 3.2 lacks. */
export type CheckOptions = Readonly<{ strict?: boolean; portable?: boolean }>;

/** The variable and the step to explain, by default all, and the process environment, by default empty. */
export type ExplainOptions = Readonly<{
  variable?: string;
  step?: string | number;
  env?: Readonly<Record<string, string | undefined>>;
}>;

/** A preview of a run. `env`: the process environment, by default empty. `files`: the source of dotenv files. */
export type PreviewOptions = Readonly<{
  params?: Readonly<Record<string, string>>;
  /** As for `--assume`: `STEP=fail`, `if:STEP=false`. */
  assume?: readonly string[];
  strict?: boolean;
  env?: Readonly<Record<string, string | undefined>>;
  files?: Files;
}>;

/** A condition, and whether it holds in a simulated run; null if that does not reach it. */
export type AssumedCondition = Readonly<{ text: string; holds: boolean | null }>;

/** A step that assumptions can name. `command` is null for a group, `condition` without one. */
export type AssumableStep = Readonly<{ name: string; command: string | null; condition: AssumedCondition | null }>;

/** A node of a graph. */
export type GraphNode = Readonly<{ id: string; kind: 'step' | 'hook' | 'join' | 'start' | 'end'; label: string }>;

/** A workflow or a parallel group in a graph, with its nodes and groups in order. */
export type GraphGroup = Readonly<{
  id: string;
  label: string;
  isPrivate: boolean;
  items: readonly (GraphNode | GraphGroup)[];
}>;

/** A plan as a graph, with the path of a run. `reached` has the reached nodes by id. Dashed edges follow a failure. */
export type GraphData = Readonly<{
  root: GraphGroup;
  edges: readonly Readonly<{ from: string; to: string; label: string; dashed: boolean; taken: boolean }>[];
  reached: Readonly<Record<string, 'ran' | 'failed'>>;
}>;

/**
 * What a workflow would do. `messages` is what `cli` prints beside it. If the run cannot start, `exitCode` is 2, and
 * there is no more than the messages. `simulation` is the run as assumed, which would end with `exitCode`.
 */
export type Preview = Readonly<{
  messages: string;
  exitCode: number;
  dryRun: Readonly<{ text: string; document: DryRun }> | null;
  simulation: Readonly<{ text: string; document: ResultDocument }> | null;
  steps: readonly AssumableStep[];
  graph: GraphData | null;
}>;

/** The changes between two files: the output of `cli diff`. `document` is null if a file has errors. */
export type Comparison = Readonly<{
  messages: string;
  text: string;
  document: Readonly<{ from: string; to: string; same: boolean; workflows: readonly object[] }> | null;
}>;

/** The output of `cli export`. `script` is null if there is none; `messages` say why. */
export type ExportedScript = Readonly<{ messages: string; script: string | null }>;

/** A converted file. `text` is null if there is none; `messages` say what was not converted, and why. */
export type Conversion = Readonly<{ messages: string; text: string | null }>;

/** A hook of the file that ran. */
export type HookResult = Readonly<{ command: string; exit_code: number }>;

/** A command that ran. */
export type StepResult = Readonly<{
  name: string;
  command: string;
  exit_code: number | null;
  outputs?: Readonly<Record<string, string>>;
  attempts?: number;
  allowed_failure?: true;
  kept?: true;
  error?: string;
}>;

/** The document of `cli workflow run`. */
export type ResultDocument = Readonly<{
  workflow: string;
  before_all?: HookResult;
  steps: readonly StepResult[];
  after_all?: HookResult;
  error?: HookResult;
  finally?: HookResult;
  hooks?: readonly (HookResult & Readonly<{ hook: 'error' | 'finally'; workflow: string; step?: string }>)[];
  success: boolean;
  interrupted?: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGQUIT';
}>;

/** An event of a run, a line of `--events`. */
export type RunEvent = Readonly<{ event: string; time: string } & Record<string, unknown>>;

/** A run in a process of its own. */
export type RunOptions = Readonly<{
  workflow: string;
  params?: Readonly<Record<string, string>>;
  /** The workflow file; by default `.cli/workflow.json` of `cwd` or of a directory around it. */
  file?: string;
  cwd?: string;
  /** The whole environment; by default that of this process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Interrupts the run, like SIGINT. */
  signal?: AbortSignal;
  /** What happens with the output of the run: it is passed on (the default), discarded, or given to a function. */
  stderr?: 'inherit' | 'ignore' | ((text: string) => void);
  onEvent?: (event: RunEvent) => void;
}>;

/** The end of a run. `document` is null if the run did not start, or was killed. */
export type RunResult = Readonly<{ exitCode: number | null; signal: string | null; document: ResultDocument | null }>;
