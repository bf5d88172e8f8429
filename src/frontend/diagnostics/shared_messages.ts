/** That a workflow is too large to be run. */
export function tooLarge(operations: string, limit: number): string {
  return `calls expand to ${operations} operations; the limit is ${limit}`;
}

/** That a value is not what it says. */
export function negativeCountsAsSet(subject: string, variable: string): string {
  return `${subject} is not empty, so an 'if' that tests ${variable} holds; leave the value empty to say no`;
}
