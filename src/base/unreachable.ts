/** Ends a switch over a union: fails to compile when a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`not a case: ${JSON.stringify(value)}`);
}
