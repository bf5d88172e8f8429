import type { Owner } from '../../frontend/diagnostics/diagnostic.ts';
import type { Step, Variables, Workflow } from '../../frontend/ast.ts';
import type { Frame, ScopedVariable } from '../plan.ts';
import type { OutputResolver } from '../resolve_outputs.ts';

/** Adds the frames of a plan, each after its parent, and resolves the references in their values. */
export class FrameTable {
  readonly frames: Frame[] = [];
  readonly #outputs: OutputResolver;

  constructor(outputs: OutputResolver) {
    this.#outputs = outputs;
  }

  /** Adds a frame and gives its index. */
  add(source: string, parent: number | null, variables: Variables, owner: Owner): number {
    const vars = [...variables].map(([name, value]): ScopedVariable => {
      const reads = this.#outputs.resolve(value, owner, `with.${name}`);
      return reads.length === 0 ? [name, value.text] : [name, value.text, reads];
    });
    return this.frames.push({ source, parent, vars }) - 1;
  }

  /** Adds a frame unless it would be empty; gives the frame to use. */
  addInner(source: string, parent: number, variables: Variables, owner: Owner): number {
    return variables.size === 0 ? parent : this.add(source, parent, variables, owner);
  }

  /** Adds a frame for the `with` of a step, unless that is empty. */
  addWith({ with: variables }: Step, owner: Required<Owner>, parent: number): number {
    return this.addInner(`with of ${owner.workflow} step ${owner.step}`, parent, variables, owner);
  }

  /** Adds a frame for the inputs of a workflow, if it declares any. */
  addInputs(workflow: string, { inputs }: Workflow, parent: number): number | undefined {
    return inputs === null
      ? undefined
      : this.frames.push({ source: `inputs of ${workflow}`, parent, vars: [], inputs }) - 1;
  }
}
