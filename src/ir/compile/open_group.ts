import type { Step } from '../../frontend/ast.ts';
import type { Branch, OpPosition, StepPosition } from '../plan.ts';
import { withMembers } from '../with_members.ts';
import type { OutputResolver, Producer } from '../resolve_outputs.ts';

/** A group that is being flattened: `op` is the index of its op, `number` that of its step in the workflow. */
export class OpenGroup {
  readonly op: number;
  readonly number: StepPosition['step'];
  readonly branches: Branch[] = [];
  readonly #names: ReadonlySet<string>;
  readonly #outputs: OutputResolver;
  /** The outputs that each branch so far gives. */
  readonly #produced: ReadonlyMap<string, Producer>[] = [];
  /** Where the open branch begins. */
  #start: OpPosition | null = null;

  constructor(op: number, number: StepPosition['step'], members: readonly Step[], outputs: OutputResolver) {
    this.op = op;
    this.number = number;
    this.#names = new Set(withMembers(members).map(({ name }) => name));
    this.#outputs = outputs;
  }

  startBranch(start: OpPosition): void {
    this.#start = start;
    this.#outputs.enterBranch(this.#names);
  }

  /** Ends the open branch, if there is one. `member` is the step that it began with. */
  endBranch(member: Step | undefined, end: OpPosition): void {
    if (this.#start === null || member === undefined) return;
    this.branches.push({ name: member.name, start: this.#start, end });
    this.#produced.push(this.#outputs.leaveBranch());
    this.#start = null;
  }

  /** Gives the outputs of all branches to the steps that follow. */
  close(): void {
    for (const steps of this.#produced) this.#outputs.defineAll(steps);
  }
}
