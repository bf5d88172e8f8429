import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory, ROOT, type CommandResult } from '../cli.ts';
import { quickCli as cli } from '../in_process.ts';
import { tree } from '../processes/tree.ts';
import { runDocument, type ExpectedRun } from '../workflow_file.ts';

export const EXAMPLES = join(ROOT, 'examples');

interface Example {
  readonly run: (workflow: string, ...params: string[]) => Promise<CommandResult>;
  /** The expected exit and output of a run. */
  readonly left: (workflow: string, ran: ExpectedRun, stderr: string) => CommandResult;
  /** Every file created by the runs. */
  readonly files: () => Record<string, string>;
}

/** Runs workflows of an example, one after another, in a temporary directory. */
export function example(t: TestContext, name: string): Example {
  const path = join(EXAMPLES, name);
  const cwd = temporaryDirectory(t);
  return {
    run: (workflow: string, ...params: string[]): Promise<CommandResult> =>
      cli(['workflow', 'run', workflow, '--file', path, ...params], { cwd }),
    left: (workflow: string, ran: ExpectedRun, stderr: string): CommandResult => ({
      code: ran.failed === undefined ? 0 : 1,
      signal: null,
      stdout: runDocument(path, workflow, ran),
      stderr,
    }),
    files: () => tree(cwd),
  };
}
