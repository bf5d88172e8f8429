/** The message for a workflow that is too large to run. */
export function tooLarge(operations: string, limit: number): string {
  return `calls expand to ${operations} operations; the limit is ${limit}`;
}
