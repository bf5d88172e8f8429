import type { Readiness, StepOptions } from '../frontend/ast.ts';
import { at, type Op, type Plan, type RunOp, type StopOp } from './plan.ts';
import { secretNames, type Secrecy } from './secret_names.ts';

/** The limit of the time until a step in the background is ready, unless it has a `timeout`, in milliseconds. */
export const READY_LIMIT = 60_000;

/** A step in the background. */
export type BackgroundOp = RunOp & { readonly options: StepOptions & { readonly background: string } };

export function isInBackground(op: Op | undefined): op is BackgroundOp {
  return op?.kind === 'run' && op.options.background !== undefined;
}

/** The steps that an op stops. */
export function stoppedSteps({ ops }: Pick<Plan, 'ops'>, { ops: indexes }: StopOp): readonly BackgroundOp[] {
  return indexes.map((index) => at(ops, index)).filter(isInBackground);
}

/** Where a step in the background lives. `write` writes names of the file. */
export function describeScope({ calls }: Pick<Plan, 'calls'>, { call }: RunOp, write = (name: string) => name): string {
  return `in the background until ${write(at(calls, call).workflow)} ends`;
}

/** A test of readiness as the end of a sentence: `ready when port 8000 answers`. */
export function describeReadiness({ kind, text }: Readiness): string {
  if (kind === 'output') return `its output contains ${JSON.stringify(text)}`;
  if (kind === 'run') return `this succeeds: ${text}`;
  return `${kind === 'port' ? 'port ' : ''}${text} answers`;
}

/** The test of readiness of a step, with values where they are known and not secret. */
export function knownReadiness(plan: Plan, op: RunOp, isSecret: Secrecy = secretNames(plan)): Readiness | undefined {
  const { ready } = op.options;
  if (ready === undefined || op.ready === undefined) return ready;
  const [variable] = at(plan.frames, op.ready).vars;
  const [, text, , lookups = []] = variable ?? ['', ready.text];
  return lookups.some(({ name }) => isSecret(name)) ? ready : { kind: ready.kind, text };
}
