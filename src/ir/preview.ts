import { settings } from './environment.ts';
import { at, type HookOp, type Plan, type RunOp, type Test } from './plan.ts';
import { unreachable } from '../unreachable.ts';
import { shown } from './secret.ts';

/** The document of a dry run. The steps are made one at a time: together they can be large. */
export interface Preview {
  readonly workflow: string;
  readonly dry_run: true;
  readonly before_all?: PreviewHook;
  readonly steps: Iterable<PreviewStep>;
  readonly after_all?: PreviewHook;
  readonly error?: PreviewHook;
}

export interface PreviewHook {
  readonly command: string;
}

export interface PreviewStep {
  readonly name: string;
  readonly command: string;
  /** Every condition that guards the step, the outermost first; a list where there are several. */
  readonly if?: string | readonly string[];
  /** What the file and the parameters give the step, secrets masked. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What a run of the plan would do, as the dry run prints it. Evaluates nothing. */
export function preview(plan: Plan): Preview {
  const hook = (name: HookOp['hook']): Partial<Record<HookOp['hook'], PreviewHook>> => {
    const op = plan.ops.find((candidate) => candidate.kind === 'hook' && candidate.hook === name);
    return op?.kind === 'hook' ? { [name]: { command: op.command } } : {};
  };
  return {
    workflow: plan.workflow,
    dry_run: true,
    ...hook('before_all'),
    steps: previewSteps(plan),
    ...hook('after_all'),
    ...hook('error'),
  };
}

function* previewSteps(plan: Plan): Generator<PreviewStep> {
  let env:
    { readonly frame: number; readonly vars: Record<string, string> | undefined } | undefined;
  for (const { op, guards } of guardedSteps(plan)) {
    if (env?.frame !== op.frame) env = { frame: op.frame, vars: shownSettings(plan, op.frame) };
    const tests = guards.map(testText);
    const [only] = tests;
    yield {
      name: op.name,
      command: op.command,
      ...(only === undefined ? {} : { if: tests.length === 1 ? only : tests }),
      ...(env.vars === undefined ? {} : { env: env.vars }),
    };
  }
}

/** A plan's steps in order, each with the tests that have to hold for it, the outermost first. */
export function* guardedSteps(
  plan: Plan,
): Generator<{ readonly op: RunOp; readonly guards: readonly Test[] }> {
  const open: { readonly test: Test; readonly end: number }[] = [];
  for (const [index, op] of plan.ops.entries()) {
    while (open.length > 0 && at(open, open.length - 1).end <= index) open.pop();
    switch (op.kind) {
      case 'hook':
        break;
      case 'condition':
        open.push({ test: op.test, end: op.otherwise });
        break;
      case 'run':
        yield { op, guards: open.map(({ test }) => test) };
        break;
      default:
        unreachable(op);
    }
  }
}

/** A test as it stood in the file. */
export function testText(test: Test): string {
  return test.kind === 'variable' ? test.name : test.command;
}

/** Without a prototype, so that `__proto__` is a variable name like any other. */
function shownSettings(plan: Plan, frame: number): Record<string, string> | undefined {
  const found = settings(plan, frame);
  if (found.size === 0) return undefined;
  const vars: Record<string, string> = Object.create(null);
  for (const [name, { value }] of found) vars[name] = shown(name, value);
  return vars;
}
