/** The message for a workflow that is too large to run. */
export function tooLarge(operations: string, limit: number): string {
  return `calls expand to ${operations} operations; the limit is ${limit}`;
}

/** The message for a value such as `false`, which a condition on its variable takes for true. */
export function conditionIsTrue(subject: string, variable: string): string {
  return `${subject} is not empty, so an 'if' that tests ${variable} is true; to make it false, leave the value empty`;
}
