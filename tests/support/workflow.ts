import type { TestContext } from 'node:test';
import { cli, withoutWarnings, workflowFolder, type Surroundings } from './cli.ts';
import { inProcess } from './in_process.ts';

/** What `cli workflow …` came to; `document` is undefined where stdout stayed empty. */
export interface Answer {
  readonly code: number | null;
  readonly document: unknown;
  readonly stderr: string;
}

/** A file with one workflow, `ci`. */
export function ci(steps: readonly unknown[], rest: object = {}): object {
  return { ...rest, workflows: { ci: { steps } } };
}

/** A step with a name, whose command nothing runs. */
export function namedStep(name: string, more: object = {}): object {
  return { name, run: `do ${name}`, ...more };
}

/** Runs `cli workflow` with a file in an empty folder; `words` are what follows. */
export async function workflow(
  t: TestContext,
  file: unknown,
  words: readonly string[],
  surroundings: Omit<Surroundings, 'cwd'> = {},
): Promise<Answer> {
  return answer(t, ['workflow', ...words], { ...surroundings, cwd: workflowFolder(t, file) });
}

/** Runs the workflow `ci` of a file, and leaves out warnings of the file: it is often odd on purpose. */
export async function runCi(
  t: TestContext,
  file: unknown,
  words: readonly string[] = [],
  surroundings: Omit<Surroundings, 'cwd'> = {},
): Promise<Answer> {
  const said = await workflow(t, file, ['run', 'ci', ...words], surroundings);
  return { ...said, stderr: withoutWarnings(said.stderr) };
}

/**
 * Runs the tool and reads its document. Whatever may start a command gets a process of its own; the
 * rest runs inside ours, because it is many times cheaper.
 */
export async function answer(t: TestContext, args: readonly string[], surroundings: Surroundings): Promise<Answer> {
  const starts = args.includes('run') && !args.includes('--dry-run');
  const ended = starts ? cli(args, surroundings) : inProcess(t, args, surroundings);
  const { code, stdout, stderr } = await ended;
  const document: unknown = stdout === '' ? undefined : JSON.parse(stdout);
  return { code, document, stderr };
}

/** An entry of a result's steps. */
export function entry(name: string, command: string, exitCode = 0): object {
  return { name, command, exit_code: exitCode };
}

/** The document of a run of `ci`. */
export function result(success: boolean, steps: readonly object[], hooks: object = {}): object {
  return { workflow: 'ci', steps, ...hooks, success };
}
