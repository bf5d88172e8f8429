import { settingsOf, type Setting } from '../environment.ts';
import { formatDuration } from './format_duration.ts';
import { formatJsonPath } from './format_json_path.ts';
import { at, type HookOp, type Plan, type RunOp, type Test } from '../plan.ts';
import { maskValue } from '../mask.ts';

type Hooks = Partial<Record<HookOp['hook'], Readonly<{ command: string }> | undefined>>;

/** The document of a dry run. The steps are made one at a time: together they can be large. */
export type Preview = Hooks & Readonly<{ workflow: string; dry_run: true; steps: Iterable<PreviewStep> }>;

type Env = Readonly<Record<string, string>>;

/**
 * `if` is every condition that guards the step, the outermost first, a list where there are several;
 * `env` what the file and the parameters give the step, secrets masked.
 */
export type PreviewStep = Readonly<{
  name: string;
  command: string;
  if: string | readonly string[] | undefined;
  env: Env | undefined;
  dir: string | undefined;
  outputs: Env | undefined;
  retry: Readonly<{ max_attempts: number; delay: string }> | undefined;
  timeout: string | undefined;
  allow_failure: true | undefined;
}>;

/** What a run of the plan would do, as the dry run prints it. Evaluates nothing. */
export function preview(plan: Plan): Preview {
  const hook = (name: HookOp['hook']): Hooks[HookOp['hook']] => {
    const op = plan.ops.find((candidate) => candidate.kind === 'hook' && candidate.hook === name);
    return op?.kind === 'hook' ? { command: op.command } : undefined;
  };
  const [before_all, after_all, error] = [hook('before_all'), hook('after_all'), hook('error')];
  const steps = previewSteps(plan);
  const last = hook('finally');
  return { workflow: plan.workflow, dry_run: true, before_all, steps, after_all, error, finally: last };
}

function* previewSteps(plan: Plan): Generator<PreviewStep> {
  const settings = settingsOf(plan);
  const guards: { readonly text: string; readonly end: number }[] = [];
  let last: { frame: number; env: Env | undefined } = { frame: -1, env: undefined };
  for (const [index, op] of plan.ops.entries()) {
    while (guards.length > 0 && at(guards, guards.length - 1).end <= index) guards.pop();
    if (op.kind === 'condition') guards.push({ text: testText(op.test), end: op.target });
    if (op.kind !== 'run') continue;
    if (last.frame !== op.frame) last = { frame: op.frame, env: shownSettings(settings(op.frame)) };
    const tests = guards.map(({ text }) => text);
    const { name, command } = op;
    yield { name, command, if: tests.length > 1 ? tests : tests[0], env: last.env, ...optionFields(op) };
  }
}

/** How a command is run, in the fields of a workflow file. */
function optionFields({ dir, outputs, retry, timeout, allowFailure }: RunOp) {
  return {
    dir: dir ?? undefined,
    outputs: outputs.length === 0 ? undefined : shownPaths(outputs),
    retry: retry === null ? undefined : { max_attempts: retry.maxAttempts, delay: formatDuration(retry.delay) },
    timeout: timeout === null ? undefined : formatDuration(timeout),
    allow_failure: allowFailure || undefined,
  };
}

function shownPaths(outputs: RunOp['outputs']): Env {
  const paths: Record<string, string> = Object.create(null);
  for (const [name, path] of outputs) paths[name] = formatJsonPath(path);
  return paths;
}

/** A test as it stood in the file. */
export function testText(test: Test): string {
  return test.kind === 'variable' ? test.name : test.command;
}

/** Without a prototype, so that `__proto__` is a variable name like any other. */
function shownSettings(settings: ReadonlyMap<string, Setting>): Env | undefined {
  const env: Record<string, string> = Object.create(null);
  for (const [name, { value }] of settings) env[name] = maskValue(name, value);
  return settings.size === 0 ? undefined : env;
}
