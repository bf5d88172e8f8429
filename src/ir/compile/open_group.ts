import type { Step } from '../../frontend/ast.ts';
import type { Branch, OpPosition, StepPosition } from '../plan.ts';
import { namesOf } from './matrix.ts';
import { withMembers } from '../../base/with_members.ts';
import type { OutputResolver, Producer } from '../resolve_outputs.ts';

/**
 * A group in the process of flattening. `op` is the index of its op, `number` the number of its step in the workflow.
 */
export class OpenGroup {
  readonly op: number;
  readonly number: StepPosition['step'];
  readonly branches: Branch[] = [];
  readonly #names: ReadonlySet<string>;
  readonly #outputs: OutputResolver;
  /** The outputs of the closed branches. */
  readonly #produced: ReadonlyMap<string, Producer>[] = [];
  /** The open branch. */
  #open: Pick<Branch, 'name' | 'start'> | null = null;

  constructor(op: number, number: StepPosition['step'], members: readonly Step[], outputs: OutputResolver) {
    this.op = op;
    this.number = number;
    const names = new Set<string>();
    for (const step of withMembers(members)) for (const name of namesOf(step)) names.add(name);
    this.#names = names;
    this.#outputs = outputs;
  }

  startBranch(name: string, start: OpPosition): void {
    this.#open = { name, start };
    this.#outputs.enterBranch(this.#names);
  }

  /** Ends the open branch, if any. */
  endBranch(end: OpPosition): void {
    if (this.#open === null) return;
    this.branches.push({ ...this.#open, end });
    this.#produced.push(this.#outputs.leaveBranch());
    this.#open = null;
  }

  /** Makes the outputs of all branches available to later steps. */
  close(): void {
    for (const steps of this.#produced) this.#outputs.defineAll(steps);
  }
}
