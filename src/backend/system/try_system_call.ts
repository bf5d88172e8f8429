/** The result of a file system call, or the system's message on failure. */
export function trySystemCall<Result>(call: () => Result): Result | string {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return systemMessage(error);
  }
}

/** The system's message for a failed call, without the name of the call and the path that Node appends. */
export function systemMessage({ message }: Error): string {
  const end = message.search(/, \w+(?: '|$)/);
  return end === -1 ? message : message.slice(0, end);
}
