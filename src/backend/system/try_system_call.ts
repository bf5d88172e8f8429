import { systemMessage } from './system_error.ts';

/** What a call of the file system gives, or the system's own words for why it failed. */
export function trySystemCall<Result>(call: () => Result): Result | string {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return systemMessage(error);
  }
}
