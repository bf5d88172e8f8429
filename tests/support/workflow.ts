import type { TestContext } from 'node:test';
import { withoutWarnings, workflowDirectory, type CommandOptions } from './cli.ts';
import { inProcess, quickCli } from './in_process.ts';

/** The result of `cli workflow …`; `document` is undefined if standard output is empty. */
export interface Answer {
  readonly code: number | null;
  readonly document: unknown;
  readonly stderr: string;
}

/** A file with one workflow, `ci`. */
export function ci(steps: readonly unknown[], rest: object = {}): object {
  return { ...rest, workflows: { ci: { steps } } };
}

/** A step with a name. Its command is never run. */
export function namedStep(name: string, more: object = {}): object {
  return { name, run: `do ${name}`, ...more };
}

/** Runs `cli workflow` and more arguments in a directory with only this file. */
export async function workflow(
  t: TestContext,
  file: unknown,
  words: readonly string[],
  options: Omit<CommandOptions, 'cwd'> = {},
): Promise<Answer> {
  return answer(t, ['workflow', ...words], { ...options, cwd: workflowDirectory(t, file) });
}

/** Runs the workflow `ci` of a file. Warnings about the file are removed, because many tests cause them on purpose. */
export async function runCi(
  t: TestContext,
  file: unknown,
  words: readonly string[] = [],
  options: Omit<CommandOptions, 'cwd'> = {},
): Promise<Answer> {
  const answered = await workflow(t, file, ['run', 'ci', ...words], options);
  return { ...answered, stderr: withoutWarnings(answered.stderr) };
}

/** Runs cli in the process of the tests, and parses its document. */
export async function answer(t: TestContext, args: readonly string[], options: CommandOptions): Promise<Answer> {
  const starts = args.includes('run') && !args.includes('--dry-run');
  const ended = starts ? quickCli(args, options) : inProcess(t, args, options);
  const { code, stdout, stderr } = await ended;
  const document: unknown = stdout === '' ? undefined : JSON.parse(stdout);
  return { code, document, stderr };
}

/** An entry in the steps of a result. */
export function entry(name: string, command: string, exitCode = 0): object {
  return { name, command, exit_code: exitCode };
}

/** The document of a run of `ci`. */
export function result(success: boolean, steps: readonly object[], hooks: object = {}): object {
  return { workflow: 'ci', steps, ...hooks, success };
}
/** A workflow with both hooks. Its commands are never run. */
export function own(name: string, steps: readonly unknown[], more: object = {}): object {
  return { error: `${name} error`, finally: `${name} finally`, steps, ...more };
}

/** A step that calls a workflow. */
export function call(workflow: string, more: object = {}): object {
  return { workflow, ...more };
}
