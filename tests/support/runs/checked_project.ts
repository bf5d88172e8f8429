import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { workflowDirectory, type CommandResult } from '../cli.ts';
import { quickCli as cli } from '../in_process.ts';

export type Step = Readonly<Record<string, unknown>>;

/** A step that reads a file and makes another. */
export const COPY: Step = { name: 'copy', run: 'cat in >out', sources: ['in'], generates: ['out'] };

/** A directory with a workflow, and functions for it. */
interface Project {
  readonly cwd: string;
  readonly run: (...args: string[]) => Promise<CommandResult>;
  readonly path: (name: string) => string;
  readonly write: (name: string, text: string) => void;
  /** Replaces the steps of the workflow. */
  readonly writeFile: (steps: readonly unknown[]) => void;
  /** Runs the workflow, and returns the reasons of the steps that are not up to date. */
  readonly reasons: (...args: string[]) => Promise<readonly string[]>;
}

/** A project whose workflow `ci` has some steps, with more fields of the file. */
export function project(
  t: TestContext,
  steps: readonly unknown[],
  { workflows, ...more }: Readonly<{ workflows?: object }> & Readonly<Record<string, unknown>> = {},
): Project {
  const fileOf = (each: readonly unknown[]): object => ({ ...more, workflows: { ...workflows, ci: { steps: each } } });
  const cwd = workflowDirectory(t, fileOf(steps));
  const run = (...args: string[]): Promise<CommandResult> => cli(['run', 'ci', ...args], { cwd });
  const path = (name: string): string => join(cwd, name);
  return {
    cwd,
    run,
    path,
    write: (name: string, text: string): void => writeFileSync(path(name), text),
    writeFile: (each: readonly unknown[]): void =>
      writeFileSync(path('.cli/workflow.json'), JSON.stringify(fileOf(each))),
    reasons: async (...args: string[]): Promise<readonly string[]> => {
      const { stderr } = await run(...args);
      return [...stderr.matchAll(/^cli: step '.*' of workflow '.*' is not up to date: (.*)$/gm)].map(
        ([, why = '']) => why,
      );
    },
  };
}
