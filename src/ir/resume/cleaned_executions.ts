import type { OpId } from '../steps/identity.ts';

const HOOK = 'own:finally';

/** Whether an id is that of the `finally` of a workflow. */
export function isOwnFinally(id: OpId): boolean {
  return id.at(-1) === HOOK;
}

/** An execution of a workflow, or a group in one. `cleaned` is the id of its `finally`, if that has succeeded. */
type Node = { cleaned: OpId | undefined; readonly inner: Map<string, Node> };

/**
 * The executions whose `finally` has succeeded after their last command. They form a tree, in which a command ends the
 * state of all executions around it in time linear in its depth.
 */
export class CleanedExecutions {
  readonly #root = newNode();

  /** The `finally` with an id has succeeded. */
  add(id: OpId): void {
    let node = this.#root;
    for (const segment of id.slice(0, -1)) {
      const inner = node.inner.get(segment) ?? newNode();
      node.inner.set(segment, inner);
      node = inner;
    }
    node.cleaned = id;
  }

  /** A step or condition with an id has started. */
  drop(id: OpId): void {
    let node: Node | undefined = this.#root;
    for (const segment of id) {
      if (node === undefined) return;
      node.cleaned = undefined;
      node = node.inner.get(segment);
    }
    if (node !== undefined) node.cleaned = undefined;
  }

  /** The ids of the `finally` hooks, as JSON. */
  keys(): ReadonlySet<string> {
    const keys = new Set<string>();
    const nodes = [this.#root];
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      if (node.cleaned !== undefined) keys.add(JSON.stringify(node.cleaned));
      for (const inner of node.inner.values()) nodes.push(inner);
    }
    return keys;
  }
}

function newNode(): Node {
  return { cleaned: undefined, inner: new Map() };
}
