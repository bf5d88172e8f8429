import { sharedWorkflows, type SharedWorkflows } from './shared_workflows.ts';
import type { ImportedStep, ImportedWorkflow } from './imported.ts';

/**
 * The same workflows, changed so that each runs a dependency once, although several of its calls lead there: with `once`
 * where each call of the dependency is such. Elsewhere, a workflow that such a call runs is inlined, without the calls
 * that have run before; with variables of its own it is copied.
 */
export function runOnce(workflows: readonly ImportedWorkflow[]): ImportedWorkflow[] {
  const known = new Map(workflows.map((workflow) => [workflow.name, workflow]));
  const shared = sharedWorkflows(known);
  return workflows.flatMap((workflow) => new Once(known, shared, workflow).workflows());
}

class Once {
  readonly #known: ReadonlyMap<string, ImportedWorkflow>;
  readonly #shared: SharedWorkflows;
  readonly #root: ImportedWorkflow;
  #done = new Set<string>();
  readonly #copies: ImportedWorkflow[] = [];

  constructor(known: ReadonlyMap<string, ImportedWorkflow>, shared: SharedWorkflows, root: ImportedWorkflow) {
    this.#known = known;
    this.#shared = shared;
    this.#root = root;
  }

  workflows(): ImportedWorkflow[] {
    const once = this.#shared.once.has(this.#root.name);
    return [{ ...this.#root, once, steps: this.#stepsOf(this.#root) }, ...this.#copies];
  }

  /** The steps of a workflow. Its calls after the commands know nothing of what has run before. */
  #stepsOf({ steps }: ImportedWorkflow): ImportedStep[] {
    const done = this.#done;
    const begin = steps.findIndex(isAfter);
    const end = begin === -1 ? steps.length : begin;
    const before = this.#remainingOf(steps.slice(0, end));
    this.#done = new Set();
    const after = this.#remainingOf(steps.slice(end));
    this.#done = done;
    return [...before, ...after];
  }

  #remainingOf(steps: readonly ImportedStep[]): ImportedStep[] {
    return steps.flatMap((step): ImportedStep[] => {
      if (!('parallel' in step)) return this.#remaining(step);
      // A member that relies on what another one runs starts after it.
      const members = step.parallel.flatMap((member) => this.#remaining(member));
      return isSame(members, step.parallel) ? [step] : members;
    });
  }

  /** A step, without what has run before. */
  #remaining(step: ImportedStep): ImportedStep[] {
    if (!('workflow' in step) || step.once === undefined) return [step];
    const called = this.#known.get(step.workflow);
    if (called === undefined || this.#shared.unchanged.has(step.workflow)) return [step];
    const values = JSON.stringify([...(step.with ?? [])]);
    const key = step.once === 'any' ? step.workflow : JSON.stringify([step.workflow, values]);
    if (this.#done.has(key)) return [];
    // The values of a reference may differ between two calls.
    if (step.once === 'any' || (step.once !== 'always' && !values.includes('${'))) this.#done.add(key);
    const steps = this.#stepsOf(called);
    if (isSame(steps, called.steps)) return [step];
    const hasVariables = (called.env?.size ?? 0) > 0 || (called.required?.length ?? 0) > 0 || step.with !== undefined;
    if (!hasVariables && called.dir === this.#root.dir) return steps;
    const copies = this.#copies.length === 0 ? '' : ` ${this.#copies.length + 1}`;
    const name = `${called.name} (for ${this.#root.name}${copies})`;
    this.#copies.push({ ...called, name, private: true, aliases: [], steps });
    return [{ ...step, workflow: name }];
  }
}

function isAfter(step: ImportedStep): boolean {
  return 'parallel' in step ? step.parallel.some(isAfter) : 'once' in step && step.once === 'after';
}

function isSame(steps: readonly ImportedStep[], before: readonly ImportedStep[]): boolean {
  return steps.length === before.length && steps.every((step, index) => step === before[index]);
}
