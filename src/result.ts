/** The value of an operation, or the reasons why it failed, each a line for the user. */
export type Result<Value> = Readonly<{ ok: true; value: Value } | Failure>;

export type Failure = Readonly<{ ok: false; problems: readonly string[] }>;

/** An expected failure. */
export function failure(...problems: readonly string[]): Failure {
  return { ok: false, problems };
}
