import { conditionParts } from '../ir/ops.ts';
import { splice } from '../ir/output_variables.ts';
import type { Requests } from './command_requests.ts';
import { at } from '../ir/plan.ts';
import type { Call, ConditionOp, HookOp, OutputRead, ParallelOp, Plan, RunOp } from '../ir/plan.ts';

/** Finds references without a value, which prevent a step or call from starting. */
export class MissingOutputs {
  readonly #plan: Plan;
  readonly #values: Pick<Requests, 'hasValue' | 'isUnrecorded'>;
  /** The failed steps, by op index. */
  readonly #failed = new Set<number>();
  readonly #params: ReadonlySet<string>;

  constructor(plan: Plan, values: Pick<Requests, 'hasValue' | 'isUnrecorded'>) {
    this.#plan = plan;
    this.#values = values;
    this.#params = new Set(plan.params.map(([name]) => name));
  }

  /** Records that a step failed, for later reasons. */
  addFailed(op: number): void {
    this.#failed.add(op);
  }

  /** The reason why a step cannot start; undefined if it can. */
  ofStep({ command, reads, frame, question, ready }: RunOp): string | undefined {
    const asked = question && this.#inText(question.text, question.reads);
    const reason = this.#inText(command, reads) ?? this.#inFrame(frame) ?? asked;
    return reason ?? (ready === undefined ? undefined : this.#inFrame(ready));
  }

  /** The reason why a call or group cannot start; undefined if it can. */
  ofCall({ frame }: Call | ParallelOp): string | undefined {
    return this.#inFrame(frame);
  }

  /** The reason why a condition cannot be tested; undefined if it can. Only variables that it uses need a value. */
  ofCondition({ test, frame }: ConditionOp): string | undefined {
    const { code, reads } = conditionParts(test);
    const words = splice(code, reads, () => ' ').match(/[A-Za-z_]\w*/g);
    return this.#inText(code, reads) ?? this.#inFrame(frame, new Set(words));
  }

  /** The reason why a hook cannot start. Other references than those to unrecorded values become empty. */
  ofHook({ command, reads }: HookOp): string | undefined {
    const unrecorded = reads.filter((each) => this.#values.isUnrecorded(each));
    return this.#inText(command, unrecorded);
  }

  #inText(text: string, reads: readonly OutputRead[]): string | undefined {
    const read = reads.find((each) => !this.#values.hasValue(each));
    return read && this.#reason(text.slice(read.start, read.end), read);
  }

  /** Checks only the frame itself: the calls of its outer frames have started. */
  #inFrame(frame: number, names?: ReadonlySet<string>): string | undefined {
    for (const [name, text, reads = []] of at(this.#plan.frames, frame).vars) {
      // A parameter overrides the value.
      if (this.#params.has(name) || names?.has(name) === false) continue;
      const reason = this.#inText(text, reads);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  #reason(reference: string, read: OutputRead): string {
    if (this.#values.isUnrecorded(read)) return `${reference} has no value, because a secret output is not recorded`;
    const { step, from } = read;
    const state = from !== null && this.#failed.has(from) ? 'failed' : 'did not run';
    const hint = `to use a text instead, write ${reference.slice(0, -1)}:-text}`;
    return `${reference} has no value, because step '${step}' ${state}; ${hint}`;
  }
}
