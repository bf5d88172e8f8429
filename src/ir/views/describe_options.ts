import type { GroupOptions, Output, StepOptions } from '../../frontend/ast.ts';
import { formatDuration } from './format_duration.ts';

/** The non-default options of a step as text. `describeOutputs` describes the outputs. */
export function describeOptions(
  { outputs, retry, timeout, allowFailure, onCrash, confirm }: StepOptions,
  describeOutputs: (outputs: readonly Output[]) => string[],
): string[] {
  // In the order of the text. A new option fails to compile until it is described.
  const words: Record<keyof StepOptions, string[]> = {
    retry: retry === null ? [] : [`up to ${retry.maxAttempts} attempts, ${formatDuration(retry.delay)} apart`],
    timeout: timeout === null ? [] : [`at most ${formatDuration(timeout)}`],
    allowFailure: allowFailure ? ['may fail'] : [],
    onCrash: onCrash === 'ask' ? [] : [`after a crash: ${CRASH_WORDS[onCrash]}`],
    confirm: confirm === null ? [] : [`asks ${JSON.stringify(confirm)}`],
    outputs: outputs.length === 0 ? [] : describeOutputs(outputs),
  };
  return Object.values(words).flat();
}

const CRASH_WORDS = { rerun: 'run again', fail: 'failed' } as const;

/** The non-default options of a group as text. */
export function describeGroup({ maxParallel, failFast, output }: GroupOptions): string[] {
  const words: Record<keyof GroupOptions, string[]> = {
    maxParallel: maxParallel === null ? [] : [`at most ${maxParallel} at a time`],
    failFast: failFast ? ['the first failure ends the others'] : [],
    output: output === 'lines' ? [] : ['output grouped'],
  };
  return Object.values(words).flat();
}
