/** Signals that end a run in good order. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type Signal = (typeof SIGNALS)[number];

/** That somebody asked the run to end. */
export interface Interruption {
  /** The last signal. */
  readonly signal: Signal;
  /** A second signal came: everything was killed, and not even a hook may run any more. */
  readonly forced: boolean;
}

/** A command to run in the shell. */
export interface Request {
  readonly command: string;
  readonly environment: ReadonlyMap<string, string>;
  /** Whether the command reads the runner's standard input or nothing. */
  readonly input: 'inherit' | 'none';
}

export type Exit =
  | { readonly kind: 'exited'; readonly code: number }
  /** The system refused to start it; `reason` is for people. */
  | { readonly kind: 'not started'; readonly reason: string };

/** Everything the interpreter does to the world. */
export interface CommandPort {
  /** Runs a command to its end. */
  run(request: Request): Promise<Exit>;
  /** Undefined while nobody has asked the run to end. */
  readonly interruption: Interruption | undefined;
}
