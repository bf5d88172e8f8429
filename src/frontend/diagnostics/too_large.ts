import type { Diagnostic } from './diagnostic.ts';

/** The message for a workflow that is too large to run. */
export function tooLarge(operations: string, limit: number): string {
  return `calls expand to ${operations} operations; the limit is ${limit}`;
}

/** The error for the step of a workflow that makes the names and values of a plan too many. */
export function tooMuchText({ workflow, offset }: Readonly<{ workflow: string; offset: number }>): Diagnostic {
  const range = { start: offset, end: offset + 1 };
  return { severity: 'error', code: 'too much text', owner: { workflow }, range };
}
