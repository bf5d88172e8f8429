import type { Output, StepOptions } from '../../frontend/ast.ts';
import { settingsOf, type Setting } from '../environment.ts';
import { maskValue } from '../mask.ts';
import { at, type HookOp, type Plan, type Test } from '../plan.ts';
import { formatDuration } from './format_duration.ts';
import { formatJsonPath } from './format_json_path.ts';

type Hooks = Partial<Record<HookOp['hook'], Readonly<{ command: string }> | undefined>>;

/** The document of a dry run. Its steps are made one at a time, because all of them can be large. */
export type Preview = Hooks & Readonly<{ workflow: string; dry_run: true; steps: Iterable<PreviewStep> }>;

type Env = Readonly<Record<string, string>>;

/**
 * `if` has every condition that guards the step, outermost first, as a list if there are several. `env` has the
 * settings of the file and the parameters, with secrets masked.
 */
export type PreviewStep = Readonly<{
  name: string;
  command: string;
  if: string | readonly string[] | undefined;
  env: Env | undefined;
  dir: string | undefined;
}> &
  OptionFields;

/** The options of a step by the names of their fields in a file. A new option does not compile without its field. */
type OptionFields = Readonly<
  Record<
    { outputs: 'outputs'; retry: 'retry'; timeout: 'timeout'; allowFailure: 'allow_failure' }[keyof StepOptions],
    unknown
  >
>;

/** The document of a dry run of a plan. Evaluates no condition. */
export function preview(plan: Plan): Preview {
  const hook = (name: HookOp['hook']): Hooks[HookOp['hook']] => {
    const op = plan.ops.find((candidate) => candidate.kind === 'hook' && candidate.hook === name);
    return op?.kind === 'hook' ? { command: op.command } : undefined;
  };
  const [before_all, after_all, error] = [hook('before_all'), hook('after_all'), hook('error')];
  const steps = previewSteps(plan);
  return { workflow: plan.workflow, dry_run: true, before_all, steps, after_all, error, finally: hook('finally') };
}

function* previewSteps(plan: Plan): Generator<PreviewStep> {
  const settings = settingsOf(plan);
  const guards: { readonly text: string; readonly end: number }[] = [];
  let last: { frame: number; env: Env | undefined } = { frame: -1, env: undefined };
  for (const [index, op] of plan.ops.entries()) {
    while (guards.length > 0 && at(guards, guards.length - 1).end <= index) guards.pop();
    if (op.kind === 'condition') guards.push({ text: testText(op.test), end: op.target });
    if (op.kind !== 'run') continue;
    if (last.frame !== op.frame) last = { frame: op.frame, env: maskedSettings(settings(op.frame)) };
    const tests = guards.map(({ text }) => text);
    const { name, command, dir } = op;
    const test = tests.length > 1 ? tests : tests[0];
    yield { name, command, if: test, env: last.env, dir: dir ?? undefined, ...optionFields(op.options) };
  }
}

function optionFields({ outputs, retry, timeout, allowFailure }: StepOptions): OptionFields {
  return {
    outputs: outputs.length === 0 ? undefined : pathTexts(outputs),
    retry: retry === null ? undefined : { max_attempts: retry.maxAttempts, delay: formatDuration(retry.delay) },
    timeout: timeout === null ? undefined : formatDuration(timeout),
    allow_failure: allowFailure || undefined,
  };
}

/** A test as it is written in the file. */
export function testText(test: Test): string {
  return test.kind === 'variable' ? test.name : test.command;
}

function pathTexts(outputs: readonly Output[]): Env {
  const paths: Record<string, string> = Object.create(null);
  for (const [name, path] of outputs) paths[name] = formatJsonPath(path);
  return paths;
}

/** Without a prototype, so that `__proto__` is an ordinary name. */
function maskedSettings(settings: ReadonlyMap<string, Setting>): Env | undefined {
  const env: Record<string, string> = Object.create(null);
  for (const [name, { value }] of settings) env[name] = maskValue(name, value);
  return settings.size === 0 ? undefined : env;
}
