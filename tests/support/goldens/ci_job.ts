import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { cliWithAnnouncements, workflowDirectory, type CommandResult } from '../cli.ts';
import { ONLY_PATH } from '../environment.ts';

/** Variables set by the services. */
export const GITHUB = { ...ONLY_PATH, GITHUB_ACTIONS: 'true', CI: 'true' };
export const GITLAB = { ...ONLY_PATH, GITLAB_CI: 'true', CI: 'true' };

/** The result of a run in a CI job. Times in its lines and in the job summary are `<time>`. */
export interface JobResult extends CommandResult {
  readonly cwd: string;
  readonly lines: string[];
  readonly summary: string[];
}

/** Runs a workflow in the environment of a CI service. */
export async function runIn(
  t: TestContext,
  service: Readonly<Record<string, string | undefined>>,
  file: object,
  words: readonly string[],
): Promise<JobResult> {
  const cwd = workflowDirectory(t, file);
  const path = join(cwd, 'summary.md');
  const env = { GITHUB_STEP_SUMMARY: path, ...service };
  const finished = await cliWithAnnouncements(['workflow', 'run', ...words], { cwd, env });
  const summary = existsSync(path) ? timeless(readFileSync(path, 'utf8')).split('\n') : [];
  return { ...finished, cwd, lines: timeless(finished.stderr).trimEnd().split('\n'), summary };
}

function timeless(text: string): string {
  return text
    .replace(/\d+ ms|\d+\.\d s/g, '<time>')
    .replace(/(section_\w+):\d+:cli_\d+_/g, '$1:<now>:cli_<pid>_')
    .replace(/^(cli: {3}slowest {2}).*$/m, '$1<steps>');
}
