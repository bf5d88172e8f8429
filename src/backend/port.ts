/** Signals that end a run in good order. */
export const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * That somebody asked the run to end, by this signal; the last one, if there were several. Forced: a
 * second one came, everything was killed, and not even a hook may run any more.
 */
export type Interruption = Readonly<{ signal: NodeJS.Signals; forced: boolean }>;

/** A command to run in the shell; it reads the runner's standard input, or nothing. */
export type Request = Readonly<{
  command: string;
  environment: ReadonlyMap<string, string>;
  input: 'inherit' | 'none';
}>;

/** How a command ended, or why, in words for people, the system refused to start it. */
export type Exit = Readonly<{ kind: 'exited'; code: number } | { kind: 'not started'; reason: string }>;

/** Everything the interpreter does to the world. */
export type CommandPort = Readonly<{
  /** Runs a command to its end. */
  run: (request: Request) => Promise<Exit>;
  /** Undefined while nobody has asked the run to end. */
  interruption: Interruption | undefined;
}>;
