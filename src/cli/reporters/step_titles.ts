import { isUnnamed } from '../../base/generated_name.ts';
import type { Skip } from './op_results.ts';
import { maskValue, secretNames, type Secrecy } from '../../ir/secret_names.ts';
import { afterConditions } from '../../ir/ops.ts';
import { at, type Branch, type Call, type Op, type Plan, type StepPosition, type RunOp } from '../../ir/plan.ts';
import { combinationSuffix } from '../../ir/steps/step_number.ts';
import { truncateLine } from '../../base/truncate.ts';

/** The short names of the ops and calls of a plan in progress lines and summaries. */
export class Titles {
  readonly #plan: Plan;
  readonly #isSecret: Secrecy;
  /** The workflows that the plan calls more than once. */
  readonly #repeated = new Set<string>();

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#isSecret = secretNames(plan);
    const seen = new Set<string>();
    for (const { workflow } of plan.calls) (seen.has(workflow) ? this.#repeated : seen).add(workflow);
  }

  /** The name of a result's op, and its workflow, which is `''` for a hook: its name has it. */
  of({ op }: Readonly<{ op: Op }>): Readonly<{ title: string; workflow: string }> {
    return { title: this.ofOp(op), workflow: op.kind === 'hook' ? '' : this.ofCall(op.call) };
  }

  /** The step, group or call that a condition skips. `name` is not truncated. */
  ofSkipped({ op: { call, step }, index }: Skip): Readonly<{ name: string; title: string; isCall: boolean }> {
    const op = this.#plan.ops[afterConditions(this.#plan, index)];
    if ((op?.kind === 'run' || op?.kind === 'parallel') && op.call === call && op.step === step)
      return { name: op.name, title: this.ofOp(op), isCall: op.kind === 'parallel' };
    const guarded = firstCallFrom(this.#plan.calls, index + 1);
    const { workflow, from } = at(this.#plan.calls, guarded);
    const name = from?.name ?? workflow;
    return { name, title: isUnnamed({ name, step }) ? this.ofCall(guarded) : truncateLine(name), isCall: true };
  }

  /** The step, group or call at a position. */
  ofStep({ call, step }: StepPosition): string {
    const op = this.#plan.ops.find((each) => {
      return (each.kind === 'run' || each.kind === 'parallel') && each.call === call && each.step === step;
    });
    if (op !== undefined) return this.ofOp(op);
    const index = this.#plan.calls.findIndex(({ from }) => from?.call === call && from.step === step);
    const from = this.#plan.calls[index]?.from ?? null;
    if (from === null) return `step ${step}`;
    return isUnnamed(from) ? this.ofCall(index) : truncateLine(from.name);
  }

  /** The name of an op, with that of its call if the plan calls the workflow more than once. */
  inFull(op: Op): string {
    const title = this.ofOp(op);
    return op.kind === 'hook' ? title : this.#withDetail(title, at(this.#plan.calls, op.call));
  }

  /** The name of an op, or the command of a step without a name, with its combination in a matrix. */
  ofOp(op: Op): string {
    if (op.kind === 'hook') return `hook '${op.hook}'${op.call === undefined ? '' : ` of ${this.ofCall(op.call)}`}`;
    if (op.kind === 'condition') return `the condition of step ${op.step}`;
    if (op.kind === 'stop') return `the stop of steps in the background of ${this.ofCall(op.call)}`;
    if (!isUnnamed(op)) return truncateLine(op.name);
    if (op.kind === 'parallel') return 'group';
    const [command, suffix] = [truncateLine(op.command), truncateLine(combinationSuffix(op.step))];
    return suffix === '' ? command : `${command} ${suffix}`;
  }

  /** The name of a member of a group, or its workflow or command. */
  ofBranch(branch: Branch | RunOp): string {
    if ('kind' in branch) return this.ofOp(branch);
    const { name, start, end } = branch;
    for (let index = start.op; index < end.op; index += 1) {
      const op = at(this.#plan.ops, index);
      if (op.kind !== 'run' && op.kind !== 'parallel') continue;
      // A step of a called workflow is in a call that begins with the member.
      if (op.call < start.call) return this.ofOp(op);
      break;
    }
    const { from } = at(this.#plan.calls, start.call);
    return from !== null && isUnnamed({ name, step: from.step }) ? this.ofCall(start.call) : truncateLine(name);
  }

  /** The workflow of a call; calls of the same workflow differ by name or `with`. */
  ofCall(index: number): string {
    const call = at(this.#plan.calls, index);
    return this.#withDetail(truncateLine(call.workflow), call);
  }

  /** A title with the detail of its call if the plan calls the workflow more than once. */
  #withDetail(title: string, call: Call): string {
    const detail = this.#repeated.has(call.workflow) ? this.#detail(call) : '';
    return detail === '' ? title : `${title} (${truncateLine(detail)})`;
  }

  /** The name of a call or its `with`, else those of the call that it is in. */
  #detail(call: Call): string {
    for (let each = call; each.from !== null; each = at(this.#plan.calls, each.from.call)) {
      if (!isUnnamed(each.from)) return each.from.name;
      const { source, vars } = at(this.#plan.frames, each.frame);
      if (!/^(?:with|matrix) of /.test(source)) continue;
      return vars.map(([name, value]) => `${name}=${maskValue(this.#isSecret, name, value)}`).join(', ');
    }
    return '';
  }
}

/** The first of the calls, which are in the order of their first ops, that begins at an op or after it. */
function firstCallFrom(calls: Plan['calls'], op: number): number {
  let [low, high] = [0, calls.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(calls, middle).start < op) low = middle + 1;
    else high = middle;
  }
  return low;
}
