import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory, type CommandResult } from './cli.ts';
import { inProcess } from './in_process.ts';

/** A repository with a workflow file, in which commands run in this process. */
export type Project = Readonly<{
  cwd: string;
  cli: (...words: readonly string[]) => Promise<CommandResult>;
  /** Replaces a text in the workflow file. */
  edit: (before: string, after: string) => void;
}>;

export function createProject(
  t: TestContext,
  file: object,
  files: Readonly<Record<string, string | object>> = {},
): Project {
  const cwd = temporaryDirectory(t, { '.git/HEAD': '', 'sub/x': '', '.cli/workflow.json': file, ...files });
  const path = join(cwd, '.cli/workflow.json');
  return {
    cwd,
    cli: (...words) => inProcess(t, words, { cwd }),
    edit: (before, after) => {
      const text = readFileSync(path, 'utf8');
      assert.ok(text.includes(before));
      writeFileSync(
        path,
        text.replace(before, () => after),
      );
    },
  };
}

/** The result of a successful command without standard error. */
export const done = (stdout: string): CommandResult => ({ code: 0, signal: null, stdout, stderr: '' });

/** The result of a command that was rejected. */
export const refused = (...problems: string[]): CommandResult => ({
  code: 2,
  signal: null,
  stdout: '',
  stderr: problems.map((problem) => `cli: ${problem}\n`).join(''),
});
