/** The value of an operation, or the reasons why it failed: lines for the user, or other data for the caller to word. */
export type Result<Value, Problem = string> = Readonly<{ ok: true; value: Value } | Failure<Problem>>;

export type Failure<Problem = string> = Readonly<{ ok: false; problems: readonly Problem[] }>;

/** An expected failure. */
export function failure<Problem = string>(...problems: readonly Problem[]): Failure<Problem> {
  return { ok: false, problems };
}
