import type { Output, Variable } from '../ir/plan.ts';

/** Signals that end a run in good order. */
export const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * That somebody asked the run to end, by this signal; the last one, if there were several. Forced: a
 * second one came, everything was killed, and not even a hook may run any more.
 */
export type Interruption = Readonly<{ signal: NodeJS.Signals; forced: boolean }>;

/**
 * A command to run in the shell; it reads the runner's standard input, or nothing. `dir` is the folder that it runs
 * in, null for ours; `outputs` is what is to be read from its standard output; `timeout` is in milliseconds.
 * `references` has what the variables of its environment that stand for references are in the file, by name.
 */
export type CommandRequest = Readonly<{
  command: string;
  environment: ReadonlyMap<string, string>;
  references: ReadonlyMap<string, string>;
  input: 'inherit' | 'none';
  dir: string | null;
  outputs: readonly Output[];
  timeout: number | null;
}>;

/**
 * How a command ended, or why, in words for people, the system refused to start it. One that exited 0 and was to give
 * outputs did so, or did not, for reasons in words.
 */
export type Exit = Readonly<
  | { kind: 'exited'; code: number; outputs?: OutputsResult }
  | { kind: 'timed out'; limit: number }
  | { kind: 'not started'; reason: string }
>;

/** The values of a step's outputs in their order, or why there are not all of them: a line for each reason. */
export type OutputsResult = Readonly<
  { ok: true; values: readonly Variable[] } | { ok: false; problems: readonly string[] }
>;

/** Everything the interpreter does to the world. */
export type CommandRunner = Readonly<{
  /** To be awaited before a command is run: ends what earlier ones left, if somebody asked the run to end since. */
  ready: () => Promise<void>;
  /** Runs a command to its end. */
  run: (request: CommandRequest) => Promise<Exit>;
  /** Waits for some milliseconds, or until somebody asks the run to end. */
  wait: (milliseconds: number) => Promise<void>;
  /** Undefined while nobody has asked the run to end. */
  interruption: Interruption | undefined;
}>;
