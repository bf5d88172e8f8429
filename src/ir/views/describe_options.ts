import { durationText } from './format_duration.ts';
import type { RunOp } from '../plan.ts';

/** What is unusual about how a step's command is run, for people. */
export function howWords({ retry, timeout, allowFailure }: RunOp): string[] {
  return [
    ...(retry === null ? [] : [`up to ${retry.maxAttempts} attempts, ${durationText(retry.delay)} apart`]),
    ...(timeout === null ? [] : [`at most ${durationText(timeout)}`]),
    ...(allowFailure ? ['may fail'] : []),
  ];
}
