import type { SessionRecord } from '../../records/journal/record.ts';
import type { Result } from '../../base/result.ts';
import type { RemoteRun } from './remote_run.ts';
import type { FromRunProcess } from './run_channel.ts';

/** The end of a run: its document as text, its exit code, and the signal that interrupted it. */
export type RunEnd = Readonly<{ document: string; code: number; interrupted: NodeJS.Signals | null }>;

/** A run to submit: its database, its id, and its queue. */
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

/** The engine's output: messages, log bytes, and a document. `document` returns the error of writing it, if any. */
export type Printer = Readonly<{
  say: (line: string) => void;
  log: (bytes: Uint8Array) => void;
  document: (text: string) => string | undefined;
}>;

/** The result of following a run: it ended, was cancelled in its queue, was left running, or could not be followed. */
export type Followed = Readonly<
  | { kind: 'ended'; end: RunEnd }
  | { kind: 'unstarted'; workflow: string; interrupted: NodeJS.Signals }
  | { kind: 'left'; code: number }
  | { kind: 'refused'; problems: readonly string[] }
>;

/** `jobs` is the number of concurrent runs, `lease` is in seconds, and `keep` is in days. */
export type WorkerSettings = Readonly<{
  url: string;
  format: number;
  name: string;
  tags: readonly string[];
  untagged: boolean;
  jobs: number;
  lease: number;
  keep: number;
  ownPlans: boolean;
  /** The command that starts the process of a run. */
  runProcess: readonly [file: string, ...args: string[]];
  /** Checks a message from that process. */
  readMessage: (message: unknown) => FromRunProcess | undefined;
  env: Readonly<Record<string, string | undefined>>;
}>;

/** A run in the database. Times are ISO 8601. */
export type RemoteEntry = Readonly<{
  run: string;
  workflow: string;
  state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'broken';
  tag?: string;
  lock?: string;
  worker?: string;
  /** The run itself and its resumes. */
  sessions: number;
  takeovers: number;
  submitted: string;
  started?: string;
  ended?: string;
}>;

/**
 * A run with all that is stored of it: what was submitted, and the records of each session. `run` is undefined if it has
 * another format of plans.
 */
export type RemoteHistory = Readonly<{
  entry: RemoteEntry;
  run: RemoteRun | undefined;
  sessions: readonly (readonly SessionRecord[])[];
}>;

/** The end of a text. `cut`: there is more before it. */
export type TextEnd = Readonly<{ text: string; cut: boolean }>;

/** The runs in a database, for the page. A promise is rejected while the database cannot be reached. */
export type OpenRuns = Readonly<{
  list: () => Promise<readonly RemoteEntry[]>;
  /** A text for each run in the list, which changes with the run and its output. */
  marks: () => Promise<ReadonlyMap<string, string>>;
  find: (id: string) => Promise<RemoteHistory | undefined>;
  /** The end of a run's output. `limit` is in bytes. */
  logEnd: (id: string, limit: number) => Promise<TextEnd>;
  /** Sends what Ctrl-C does to a queued or running run, and does not wait. */
  interrupt: (id: string) => Promise<void>;
  close: () => void;
}>;

/** A query about one run. `format` is the number of the plan format. */
export type RunQuery = Readonly<{ url: string; id: string; format: number }>;

/** The interface of the package for runs on other machines. */
export type Engine = Readonly<{
  version: string;
  submit: (submission: Submission, printer: Printer) => Promise<Followed>;
  work: (settings: WorkerSettings, printer: Printer) => Promise<number>;
  list: (url: string) => Promise<Result<readonly RemoteEntry[]>>;
  show: (query: RunQuery) => Promise<Result<RemoteHistory>>;
  /** Passes the run's output so far to `print`. */
  logs: (query: RunQuery, print: (bytes: Uint8Array) => void) => Promise<Result<null>>;
  wait: (query: RunQuery, printer: Printer) => Promise<Followed>;
  /** Resumes a run that has not succeeded, and follows it. */
  resume: (query: RunQuery, printer: Printer) => Promise<Followed>;
  /** Interrupts a run and waits for its end. `wasOver` is true if it had ended before. */
  cancel: (query: RunQuery) => Promise<Result<Readonly<{ entry: RemoteEntry; wasOver: boolean }>>>;
  /** Connects to a database. `format` is the number of the plan format. */
  open: (url: string, format: number) => Promise<Result<OpenRuns>>;
}>;
