import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'jsonc-parser';
import * as v from 'valibot';

const Step = v.union([v.string(), v.object({ name: v.optional(v.string()), run: v.optional(v.string()) })]);

const FileShape = v.object({
  before_all: v.optional(v.string()),
  after_all: v.optional(v.string()),
  error: v.optional(v.string()),
  workflows: v.record(v.string(), v.object({ steps: v.array(Step) })),
});

type Hook = 'before_all' | 'after_all' | 'error';

/** The expected part of a workflow. */
export interface ExpectedRun {
  /** `workflow/step` of every command, in order. A step without a name is `step_<n>`. */
  readonly steps: readonly string[];
  readonly hooks?: readonly Hook[];
  /** The exit code of the last step, if it failed. */
  readonly failed?: number;
}

/**
 * The exact document of a run, as text. The test names the steps. Their commands are read from the file, so that a test
 * does not repeat them.
 */
export function runDocument(path: string, workflow: string, ran: ExpectedRun): string {
  const file = v.parse(FileShape, parse(readFileSync(path, 'utf8')));
  const { steps, hooks = [], failed } = ran;
  const hook = (name: Hook): Record<string, unknown> =>
    hooks.includes(name) ? { [name]: { command: file[name], exit_code: 0 } } : {};
  const document = {
    workflow,
    ...hook('before_all'),
    steps: steps.map((step, index) => {
      const [from = '', name = ''] = step.split('/');
      const last = index === steps.length - 1;
      return { name, command: command(from, name), exit_code: last ? (failed ?? 0) : 0 };
    }),
    ...hook('after_all'),
    ...hook('error'),
    success: failed === undefined,
  };
  return `${JSON.stringify(document)}\n`;

  function command(from: string, name: string): string {
    const found = file.workflows[from]?.steps.flatMap((step, index) => {
      const long = typeof step === 'string' ? { name: undefined, run: step } : step;
      return (long.name ?? `step_${index + 1}`) === name ? [long.run] : [];
    });
    const [run, ...others] = found ?? [];
    assert.ok(run !== undefined && others.length === 0, `one step ${from}/${name} in ${path}`);
    return run;
  }
}
