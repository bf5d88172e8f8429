import { systemMessage } from './system_error.ts';

/** The result of a file system call, or the system's message on failure. */
export function trySystemCall<Result>(call: () => Result): Result | string {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return systemMessage(error);
  }
}
