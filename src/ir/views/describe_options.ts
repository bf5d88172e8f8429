import type { GroupOptions, Output, StepOptions } from '../../frontend/ast.ts';
import { formatDuration } from './format_duration.ts';

/** The options of a step that differ from the defaults, for people; `describeOutputs` words the outputs. */
export function describeOptions(
  { outputs, retry, timeout, allowFailure, onCrash, confirm }: StepOptions,
  describeOutputs: (outputs: readonly Output[]) => string[],
): string[] {
  // In the order of the text. A new option does not compile without its words.
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

/** The options of a group that differ from the defaults, for people. */
export function describeGroup({ maxParallel, failFast, output }: GroupOptions): string[] {
  const words: Record<keyof GroupOptions, string[]> = {
    maxParallel: maxParallel === null ? [] : [`at most ${maxParallel} at a time`],
    failFast: failFast ? ['the first failure ends the others'] : [],
    output: output === 'lines' ? [] : ['output grouped'],
  };
  return Object.values(words).flat();
}
