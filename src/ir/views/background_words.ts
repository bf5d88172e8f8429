import { describeReadiness, knownReadiness, READY_LIMIT } from '../background.ts';
import { at, type Plan, type RunOp } from '../plan.ts';
import { describeOptions } from './step_options.ts';

/** The words for the options of a step in the background. `write` writes the texts of the file. */
export function describeBackground(
  plan: Plan,
  op: RunOp,
  write: Readonly<Record<'name' | 'text', (text: string) => string>>,
): string[] {
  const { background: _background, ready: _ready, ...others } = op.options;
  const ready = knownReadiness(plan, op);
  const workflow = write.name(at(plan.calls, op.call).workflow);
  const start = `in the background until ${workflow} ends`;
  if (ready === undefined) return [start, ...describeOptions(others)];
  const [limit = '', ...rest] = describeOptions({ ...others, timeout: others.timeout ?? READY_LIMIT });
  const test = describeReadiness({ ...ready, text: write.text(ready.text) });
  return [start, `ready when ${test}, ${limit}`, ...rest];
}
