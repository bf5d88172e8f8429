/** What a call of the file system gives, or the system's own words for why it failed. */
export function attempt<Result>(call: () => Result): Result | string {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    // Without the name of the call and the path, which Node puts after them.
    return error.message.replace(/, \w+( '.*')?$/s, '');
  }
}
