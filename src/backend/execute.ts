import { settingsOf } from '../ir/environment.ts';
import { at, runsAfterFailure, type ConditionOp, type HookOp, type Op, type Plan } from '../ir/plan.ts';
import type { OutputRead, RunOp, Variable } from '../ir/plan.ts';
import { rewriteReferences, outputVariables } from '../ir/output_variables.ts';
import { unreachable } from '../unreachable.ts';
import type { CommandRunner, Exit, CommandRequest } from './command_runner.ts';

/** An op whose command was run. */
export type OpResult<Kind> = Readonly<{ op: Kind; exitCode: number }>;

/** A step that was run: in how many attempts, how the last one ended, and whether it has failed. */
export type StepResult = OpResult<RunOp> & Readonly<{ attempts: number; exit: Exit; failed: boolean }>;

/** What a run came to: the steps and the hooks that ran, in order. */
export type Outcome = Readonly<{
  success: boolean;
  interrupted: NodeJS.Signals | undefined;
  steps: readonly StepResult[];
  hooks: readonly OpResult<HookOp>[];
}>;

/** A turn of the event loop. The promises of `timers/promises` would load more of Node, and make more garbage. */
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/**
 * Something that happened during a run, for those who show it. Skipped: a condition does not hold. Waiting: an attempt
 * has failed, and there will be another. An op ends once, with its last attempt.
 */
export type RunEvent = Readonly<
  | { kind: 'started'; op: Op }
  | { kind: 'waiting'; op: RunOp; exit: Exit; attempt: number }
  | { kind: 'ended'; op: Op; exit: Exit; attempts: number }
  | { kind: 'skipped'; op: ConditionOp }
>;

/** The exit code that stands for how a command ended: the shell's own 126 if it could not be run, that of timeout(1). */
export function exitCode(exit: Exit): number {
  switch (exit.kind) {
    case 'exited':
      return exit.code;
    case 'timed out':
      return 124;
    case 'not started':
      return 126;
    default:
      return unreachable(exit);
  }
}

/** Whether a command has failed: it may have exited 0 without giving its outputs. */
export function hasFailed(exit: Exit): boolean {
  return exitCode(exit) !== 0 || (exit.kind === 'exited' && exit.outputs?.ok === false);
}

/**
 * Runs a plan: one loop over its ops.
 *
 * `base` is the environment under the plan's own variables. A failed or interrupted run goes on
 * through the ops in the failed state, in which only the hooks for failure, or for either, run.
 */
export async function execute(
  plan: Plan,
  port: CommandRunner,
  base: ReadonlyMap<string, string>,
  observe: (event: RunEvent) => void,
): Promise<Outcome> {
  const steps: StepResult[] = [];
  const hooks: OpResult<HookOp>[] = [];
  let failed = false;

  /** What steps gave, by op. */
  const given = new Map<number, ReadonlyMap<string, string>>();
  const outputOf = ({ from, output }: OutputRead): string => given.get(from)?.get(output) ?? '';
  const settings = settingsOf(plan, outputOf);
  /** Neighbouring ops mostly share a frame, so the last environment is all that is kept. */
  let last = { frame: -1, variables: base };
  const variables = (frame: number): ReadonlyMap<string, string> => {
    if (last.frame === frame) return last.variables;
    const own = [...settings(frame)].map(([name, { value }]) => [name, value] as const);
    last = { frame, variables: new Map([...base, ...own]) };
    return last.variables;
  };
  /** A command as the shell gets it: what it reads from steps comes as variables. */
  const withReads = (text: string, reads: readonly OutputRead[], frame: number): Resolved => {
    if (reads.length === 0) return { command: text, environment: variables(frame), references: NONE };
    const { all, nameOf } = outputVariables(reads);
    const values = all.map(({ name, read }): Variable => [name, outputOf(read)]);
    const references = new Map(all.map(({ name, read: { start, end } }) => [name, text.slice(start, end)]));
    const environment = new Map([...variables(frame), ...values]);
    return { command: rewriteReferences(text, reads, nameOf), environment, references };
  };
  /** Two turns: the poll between them has a signal that came meanwhile, perhaps while showing took long. */
  const show = async (event: RunEvent): Promise<void> => {
    observe(event);
    await turn();
    await turn();
  };
  const isStopped = (op: Op): boolean =>
    runsAfterFailure(op) ? port.interruption?.forced === true : port.interruption !== undefined;
  /** Runs an op's command, more than once if that is asked for; nothing if the run was interrupted before. */
  const run = async (
    op: Op,
    request: CommandRequest,
  ): Promise<Readonly<{ exit: Exit; attempts: number }> | undefined> => {
    const retry = op.kind === 'run' ? op.retry : null;
    await port.ready();
    if (isStopped(op)) return undefined;
    await show({ kind: 'started', op });
    if (isStopped(op)) return undefined;
    let exit = await port.run(request);
    let attempts = 1;
    if (op.kind === 'run' && retry !== null) {
      while (exitCode(exit) !== 0 && attempts < retry.maxAttempts && !isStopped(op)) {
        await show({ kind: 'waiting', op, exit, attempt: attempts });
        await port.wait(retry.delay);
        if (isStopped(op)) break;
        exit = await port.run(request);
        attempts += 1;
      }
    }
    await show({ kind: 'ended', op, exit, attempts });
    return { exit, attempts };
  };
  const holds = async (op: ConditionOp): Promise<boolean> => {
    const { test, frame, dir } = op;
    if (test.kind === 'variable') return Boolean(variables(frame).get(test.name));
    const request = { ...withReads(test.command, test.reads, frame), ...ONLY_EXIT, input: 'none', dir } as const;
    const exit = (await run(op, request))?.exit;
    failed ||= exit?.kind === 'not started';
    return exit !== undefined && exitCode(exit) === 0;
  };
  const runHook = async (op: HookOp): Promise<void> => {
    const request = {
      ...withReads(op.command, op.reads, op.frame),
      ...ONLY_EXIT,
      input: 'inherit',
      dir: null,
    } as const;
    const ran = await run(op, request);
    if (ran !== undefined) hooks.push({ op, exitCode: exitCode(ran.exit) });
    failed ||= ran === undefined || hasFailed(ran.exit);
  };
  const runStep = async (op: RunOp, index: number): Promise<void> => {
    const { outputs, timeout, dir } = op;
    const request = { ...withReads(op.command, op.reads, op.frame), outputs, timeout, input: 'inherit', dir } as const;
    const ran = await run(op, request);
    if (ran === undefined) {
      failed = true;
      return;
    }
    const { exit } = ran;
    const isBad = hasFailed(exit);
    steps.push({ op, exitCode: exitCode(exit), ...ran, failed: isBad });
    if (exit.kind === 'exited' && exit.outputs?.ok === true) given.set(index, new Map(exit.outputs.values));
    failed ||= isBad && !op.allowFailure;
  };

  for (let index = 0; index < plan.ops.length;) {
    if (port.interruption?.forced === true) break;
    failed ||= port.interruption !== undefined;
    const op = at(plan.ops, index);
    index += 1;
    if (failed ? !runsAfterFailure(op) : op.kind === 'hook' && op.when === 'failure') continue;
    switch (op.kind) {
      case 'hook':
        await runHook(op);
        break;
      case 'condition':
        if ((await holds(op)) || failed || port.interruption !== undefined) break;
        await show({ kind: 'skipped', op });
        index = op.target;
        break;
      case 'run':
        await runStep(op, index - 1);
        break;
      default:
        unreachable(op);
    }
  }
  const interrupted = port.interruption?.signal;
  return { success: !failed && interrupted === undefined, interrupted, steps, hooks };
}

/** Of most commands nothing is wanted but how they end, and most have no references. */
const ONLY_EXIT = { outputs: [], timeout: null } as const;
const NONE: ReadonlyMap<string, string> = new Map();

type Resolved = Pick<CommandRequest, 'command' | 'environment' | 'references'>;
