import type { TestContext } from 'node:test';
import { cli, workflowDirectory, type CommandResult } from '../cli.ts';

/** A step in the background that prints `up` once it runs. */
export const server = (run = 'echo up; exec sleep 99', more: object = {}): object => ({
  name: 'server',
  run,
  background: true,
  ready: { output: 'up' },
  ...more,
});

export type Ran = CommandResult & Readonly<{ lines: readonly string[]; cwd: string }>;

/** Runs a workflow `ci`, and returns its result with the lines about steps in the background, without times. */
export async function run(
  t: TestContext,
  steps: readonly unknown[],
  own: object = {},
  others: object = {},
): Promise<Ran> {
  const cwd = workflowDirectory(t, { workflows: { ci: { steps, ...own }, ...others } });
  const result = await cli(['run', 'ci', '--format', 'json'], { cwd, env: { CLI_NO_JOURNAL: undefined } });
  const about = result.stderr.split('\n').filter((line) => line.startsWith('cli: background step'));
  const lines = about.map((line) => line.replace(/^cli: background step /, '').replace(/,? [\d.]+ m?s$/, ''));
  return { ...result, lines, cwd };
}

export const exitCodes = ({ stdout }: CommandResult): unknown =>
  JSON.parse(stdout).steps.map(({ name, exit_code }: Readonly<Record<string, unknown>>) => [name, exit_code]);

/** No process of the machine has this argument. */
export const isGone = (seconds: string): string => `! pgrep -fx 'sleep ${seconds}'`;
