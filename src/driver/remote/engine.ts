import type { Plan } from '../../ir/plan.ts';
import type { RunRecord } from '../../backend/replay/run_record.ts';

/**
 * All of a run that goes to another machine, from the file at `path`. `places` has the file, the line and the column of
 * each offset of the plan; `switches` and `format` are those of the command line.
 */
export type RemoteRun = Readonly<{
  plan: Plan;
  path: string;
  places: readonly (readonly [offset: number, file: string, line: number, column: number])[];
  switches: readonly string[];
  format: string;
}>;

/** How a run ended: the text of its document, its exit code, and the signal that ended it. */
export type RunEnd = Readonly<{ document: string; code: number; interrupted: NodeJS.Signals | null }>;

/** A message to the process of a run. The first one holds the run and its records. */
export type ToRunProcess = Readonly<
  | { kind: 'run'; id: string; run: RemoteRun; records: readonly RunRecord[] }
  | { kind: 'stored'; number: number }
  | { kind: 'signal'; signal: NodeJS.Signals }
>;

/** What the process of a run sends. The document of a run goes to its standard output. */
export type FromRunProcess = Readonly<
  | { kind: 'ready' }
  | { kind: 'record'; number: number; record: RunRecord }
  | { kind: 'end'; code: number; interrupted: NodeJS.Signals | null }
>;

/** Where a run goes and what it is called there. */
export type Submission = Readonly<{
  url: string;
  format: number;
  id: string;
  run: RemoteRun;
  tag: string | null;
  lock: string | null;
  priority: number;
  detach: boolean;
}>;

/** How the engine prints. `document` returns what is wrong with standard output, if anything. */
export type Printer = Readonly<{
  say: (line: string) => void;
  log: (bytes: Uint8Array) => void;
  document: (text: string) => string | undefined;
}>;

/** How a run was followed: to its end, perhaps in its queue; until it was left; or not at all. */
export type Followed = Readonly<
  | { kind: 'ended'; end: RunEnd }
  | { kind: 'unstarted'; workflow: string; interrupted: NodeJS.Signals }
  | { kind: 'left'; code: number }
  | { kind: 'refused'; problem: string }
>;

/** `jobs` is the number of runs at a time, `lease` and `keep` are in seconds and days. */
export type WorkerSettings = Readonly<{
  url: string;
  format: number;
  name: string;
  tags: readonly string[];
  untagged: boolean;
  jobs: number;
  lease: number;
  keep: number;
  /** The command that becomes the process of a run. */
  runProcess: readonly [file: string, ...args: string[]];
  env: Readonly<Record<string, string | undefined>>;
}>;

/** A run in the database. Times are in ISO 8601. */
export type RemoteEntry = Readonly<{
  run: string;
  workflow: string;
  state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'broken';
  tag?: string;
  lock?: string;
  worker?: string;
  takeovers: number;
  submitted: string;
  started?: string;
  ended?: string;
}>;

/** A command of a run that has ended. */
export type RemoteOp = Readonly<{
  op: number;
  kind: string;
  name: string;
  attempt: number;
  exit_code: number | null;
  started: string;
  ended: string;
}>;

/** A query about one run, with the number of the plan's format. */
export type RunQuery = Readonly<{ url: string; id: string; format: number }>;

/** An answer, or why there is none. */
export type Answer<Value> = Readonly<{ ok: true; value: Value } | { ok: false; problem: string }>;

/** The package for runs on other machines. */
export type Engine = Readonly<{
  version: string;
  submit: (submission: Submission, printer: Printer) => Promise<Followed>;
  work: (settings: WorkerSettings, printer: Printer) => Promise<number>;
  list: (url: string) => Promise<Answer<readonly RemoteEntry[]>>;
  show: (query: RunQuery) => Promise<Answer<RemoteEntry & Readonly<{ ops: readonly RemoteOp[] }>>>;
  /** Prints what a run has printed so far. */
  logs: (query: RunQuery, print: (bytes: Uint8Array) => void) => Promise<Answer<null>>;
  wait: (query: RunQuery, printer: Printer) => Promise<Followed>;
  /** Interrupts a run and waits for its end; `wasOver` if it had ended before. */
  cancel: (query: RunQuery) => Promise<Answer<Readonly<{ entry: RemoteEntry; wasOver: boolean }>>>;
}>;
