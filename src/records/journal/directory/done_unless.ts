/** Changes a file. Returns false if that fails with the given error code, such as `ENOENT`. */
export function doneUnless(code: string, change: () => void): boolean {
  try {
    change();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === code) return false;
    throw error;
  }
}
