const nothing = (): void => undefined;

/** A logger of the engine that discards all messages. */
export const NO_LOG = { info: nothing, debug: nothing, warn: nothing, error: nothing };

/** A logger of the engine that passes on why the database has failed. The engine then tries again. */
export class FailureLog {
  readonly info = nothing;
  readonly debug = nothing;
  readonly error = nothing;
  onFailure: (reason: string) => void = nothing;

  warn(entry: unknown): void {
    const reason = /^Database connection failed: (.*)\. Retrying in /s.exec(String(entry))?.[1];
    if (reason !== undefined) this.onFailure(reason);
  }
}
