import { formatDuration } from './format_duration.ts';
import type { RunOp } from '../plan.ts';

/** What is unusual about how a step's command is run, for people. */
export function describeOptions({ retry, timeout, allowFailure }: RunOp): string[] {
  return [
    ...(retry === null ? [] : [`up to ${retry.maxAttempts} attempts, ${formatDuration(retry.delay)} apart`]),
    ...(timeout === null ? [] : [`at most ${formatDuration(timeout)}`]),
    ...(allowFailure ? ['may fail'] : []),
  ];
}
