/** The result of a file system call, or the system's message on failure. */
export function trySystemCall<Result>(call: () => Result): Result | string {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return systemMessage(error);
  }
}

/** The texts in place of the system's for its most frequent errors. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'it does not exist'],
  ['EEXIST', 'it exists already'],
]);

/** Whether a message of the system says that a file does not exist. */
export function saysMissing(message: string): boolean {
  return message === PLAIN.get('ENOENT');
}

/** The system's message for a failed call, without the name of the call and the path that Node appends. */
export function systemMessage({ message }: Error): string {
  const plain = PLAIN.get(message.split(':', 1)[0] ?? '');
  if (plain !== undefined) return plain;
  const end = message.search(/, \w+(?: '|$)/);
  return end === -1 ? message : message.slice(0, end);
}
