import { type ImportedStep, type ImportedWorkflow, calledBy, callsIn } from './imported.ts';

/**
 * The same workflows, changed so that each runs a dependency once, although several of its calls lead there: with `once`
 * where each call of the dependency is such. Elsewhere, a workflow that such a call runs is inlined, without the calls
 * that have run before; with variables of its own it is copied.
 */
export function runOnce(workflows: readonly ImportedWorkflow[]): ImportedWorkflow[] {
  const known = new Map(workflows.map((workflow) => [workflow.name, workflow]));
  const shared = sharedWorkflows(known);
  return workflows.flatMap((workflow) => {
    const isChanged = shared.repeating.has(workflow.name) && !shared.unchanged.has(workflow.name);
    return new Once(known, shared, workflow).workflows(isChanged ? undefined : workflow.steps);
  });
}

/** A part of the walk through calls. It yields the inner parts, because calls may be nested thousands of levels deep. */
interface Walk extends Generator<Walk, ImportedStep[], ImportedStep[]> {}

/** The steps that a walk returns. */
function walked(start: Walk): ImportedStep[] {
  const stack = [start];
  let steps: ImportedStep[] = [];
  for (let walk = stack.at(-1); walk !== undefined; walk = stack.at(-1)) {
    const { done, value } = walk.next(steps);
    if (done === true) {
      stack.pop();
      steps = value;
    } else stack.push(value);
  }
  return steps;
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

  /** The workflow with its steps, by default without what has run before, and the copies that they call. */
  workflows(steps: readonly ImportedStep[] = walked(this.#stepsOf(this.#root))): ImportedWorkflow[] {
    const once = this.#shared.once.has(this.#root.name);
    return [{ ...this.#root, once, steps }, ...this.#copies];
  }

  /** The steps of a workflow. Its calls after the commands know nothing of what has run before. */
  *#stepsOf({ steps }: ImportedWorkflow): Walk {
    const done = this.#done;
    const begin = steps.findIndex(isAfter);
    const end = begin === -1 ? steps.length : begin;
    const before = yield this.#remainingOf(steps.slice(0, end));
    this.#done = new Set();
    const after = yield this.#remainingOf(steps.slice(end));
    this.#done = done;
    return [...before, ...after];
  }

  *#remainingOf(steps: readonly ImportedStep[]): Walk {
    const remaining: ImportedStep[][] = [];
    for (const step of steps) {
      // A member that relies on what another one runs starts after it.
      if ('parallel' in step) {
        const members = yield this.#remainingOf(step.parallel);
        remaining.push(isSame(members, step.parallel) ? [step] : members);
      } else remaining.push(yield this.#remaining(step));
    }
    return remaining.flat();
  }

  /** A step, without what has run before. */
  *#remaining(step: ImportedStep): Walk {
    if (!('workflow' in step) || step.once === undefined) return [step];
    const called = this.#known.get(step.workflow);
    if (called === undefined || this.#shared.unchanged.has(step.workflow)) return [step];
    const values = JSON.stringify([...(step.with ?? [])]);
    const key = step.once === 'any' ? step.workflow : JSON.stringify([step.workflow, values]);
    if (this.#done.has(key)) return [];
    // The values of a reference may differ between two calls.
    if (step.once === 'any' || (step.once !== 'always' && !values.includes('${'))) this.#done.add(key);
    const steps = yield this.#stepsOf(called);
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

type Workflows = ReadonlyMap<string, ImportedWorkflow>;

type Call = Extract<ImportedStep, { workflow: string }>;

/**
 * The workflows that get `once`, and those whose calls need no change, because they lead to no workflow that runs once
 * in some calls only. `repeating` ones lead to some workflow by two calls.
 */
type SharedWorkflows = Readonly<Record<'once' | 'unchanged' | 'repeating', ReadonlySet<string>>>;

/** Finds the dependencies of which all calls run once, among all calls of a file. */
function sharedWorkflows(workflows: Workflows): SharedWorkflows {
  const calls = [...workflows.values()].flatMap(({ steps }) => callsIn(steps));
  const callees = new Map([...workflows].map(([name, { steps }]) => [name, calledBy(steps)]));
  const callers = new Map([...workflows.keys()].map((name): [string, string[]] => [name, []]));
  for (const [name, called] of callees) for (const each of called) callers.get(each)?.push(name);
  // A process that a command starts, or a call after the commands, has no record of earlier tasks.
  const fresh = calls.filter(({ once }) => once === undefined || once === 'after').map(({ workflow }) => workflow);
  const changed = reached(callers, [...reached(callees, fresh), ...withSeveralValues(calls)]);
  const unchanged = new Set([...workflows.keys()].filter((name) => !changed.has(name)));
  const isRepeated = calls.some(({ once }) => once === 'always');
  const counts = new Map<string, number>();
  for (const { workflow, once } of calls)
    if (once !== 'always') counts.set(workflow, (counts.get(workflow) ?? 0) + (isRepeated ? 2 : 1));
  const once = [...counts].filter(([name, count]) => count > 1 && unchanged.has(name)).map(([name]) => name);
  const repeating = [...callees].flatMap(([name, called]) =>
    called.length > 1 && repeatsCalls(callees, name) ? name : [],
  );
  return { once: new Set(once), unchanged, repeating: reached(callers, repeating) };
}

/** Whether two of the calls to which a workflow leads are of the same one. */
function repeatsCalls(callees: ReadonlyMap<string, readonly string[]>, root: string): boolean {
  const found = new Set([root]);
  for (const name of found) {
    for (const next of callees.get(name) ?? []) if (found.size === found.add(next).size) return true;
  }
  return false;
}

/** The workflows that run once whatever their values are, although their calls have different ones. */
function withSeveralValues(calls: readonly Call[]): string[] {
  const values = new Map<string, string>();
  return calls.flatMap((call) => {
    if (call.once !== 'any') return [];
    const own = JSON.stringify([...(call.with ?? [])]);
    const first = values.get(call.workflow) ?? own;
    values.set(call.workflow, first);
    return first === own && !own.includes('${') ? [] : [call.workflow];
  });
}

/** Some names, and all to which the edges of a graph lead from them. */
function reached(edges: ReadonlyMap<string, readonly string[]>, names: readonly string[]): ReadonlySet<string> {
  const found = new Set(names);
  for (const name of found) for (const next of edges.get(name) ?? []) found.add(next);
  return found;
}
