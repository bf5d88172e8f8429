import type { Retry, StepOptions } from '../frontend/schema/option_fields.ts';
import { exitCode, type CommandRunner, type Exit } from './command_runner.ts';

/** Whether a failed attempt is followed by another one. Attempt 0 is a command that has not started. */
export function mayRetry(retry: Retry | null, exit: Exit, attempt: number): boolean {
  return retry !== null && attempt > 0 && attempt < retry.maxAttempts && exitCode(exit) !== 0;
}

/** Waits between two attempts at a command. An interruption ends the wait. */
export function retryDelay(runner: CommandRunner, { retry }: Pick<StepOptions, 'retry'>): Promise<void> {
  return runner.wait(retry?.delay ?? 0);
}
