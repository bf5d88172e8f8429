import { hasFailed, isAllowed } from '../../backend/command_runner.ts';
import type { RunEvent } from '../../backend/run_event.ts';
import type { Options } from '../../command_line/parse.ts';
import { readAssumptions } from '../../driver/simulation/read_assumptions.ts';
import { simulatePlan, type Simulation } from '../../driver/simulation/simulate_plan.ts';
import type { Plan } from '../../ir/plan.ts';
import { partsOf, type Graph, type GraphEdge, type GraphPath } from '../../ir/views/graph.ts';
import { printStderr, type Io } from '../../output/io.ts';
import { unreachable } from '../../unreachable.ts';

/**
 * Simulates a run with the assumptions of the command line and returns its path. Returns undefined after printing an
 * error.
 */
export async function simulatedPath(
  io: Io,
  plan: Plan,
  graph: Graph,
  options: Options,
): Promise<GraphPath | undefined> {
  const assumed = readAssumptions(plan, options.lists.get('assume') ?? []);
  if (!assumed.ok) return printStderr(io, assumed.problems, 'cli: ');
  const simulation = await simulatePlan(io, plan, assumed.value, { strict: false, known: () => undefined });
  return graphPath(plan, graph, simulation);
}

/** The path of a simulated run through the graph of its plan. */
function graphPath(plan: Plan, graph: Graph, { events, outcome: { success } }: Simulation): GraphPath {
  const ids = new Map(plan.ops.map((op, index) => [op, `op${index}`]));
  const trace = new Trace((op) => ids.get(op) ?? '');
  for (const event of events) trace.follow(event);
  const { nodes, skipped, broken } = trace;
  nodes.set('begin', 'ran').set('finish', success ? 'ran' : 'failed');
  addJoins(graph, trace);
  // After a failure, these nodes are reached along dashed edges.
  const ends = new Set(['finish', ...hooksOf(plan, 'finally')]);
  const isTaken = ({ from, to, test, dashed }: GraphEdge): boolean => {
    if (!nodes.has(from) || !nodes.has(to)) return false;
    if (dashed || ends.has(to)) return dashed !== success;
    return !broken.has(from) && (test === null || test.holds !== skipped.has(test.condition));
  };
  return { nodes, edges: new Set(graph.edges.filter(isTaken)) };
}

/** Collects the ids of the ops that a run reaches. */
class Trace {
  readonly nodes = new Map<string, 'ran' | 'failed'>();
  /** The conditions that do not hold. */
  readonly skipped = new Set<string>();
  /** The ops that fail the run. */
  readonly broken = new Set<string>();
  readonly groups = new Set<string>();
  readonly #idOf: (op: Plan['ops'][number]) => string;

  constructor(idOf: (op: Plan['ops'][number]) => string) {
    this.#idOf = idOf;
  }

  follow(event: RunEvent): void {
    switch (event.kind) {
      case 'ended':
        return this.#end(event);
      case 'skipped':
        return void this.skipped.add(this.#idOf(event.op));
      case 'group started':
        return void this.groups.add(this.#idOf(event.op));
      case 'started':
      case 'waiting':
      case 'held':
      case 'kept':
      case 'left out':
      case 'refused':
      case 'declined':
      case 'member output':
      case 'group ended':
        return;
      default:
        return unreachable(event);
    }
  }

  #end({ op, exit }: RunEvent & { kind: 'ended' }): void {
    if (op.kind === 'condition') return;
    const [id, failed] = [this.#idOf(op), hasFailed(exit)];
    this.nodes.set(id, failed ? 'failed' : 'ran');
    if (failed && !(op.kind === 'run' && isAllowed(exit, op.options))) this.broken.add(id);
  }
}

/** Adds the joins before conditions and groups that the run reaches. */
function addJoins(graph: Graph, { nodes, skipped, groups }: Trace): void {
  const joins = [...partsOf(graph)].flatMap((part) => {
    return part.kind === 'node' && part.node.kind === 'join' ? part.node.id : [];
  });
  const guarded = new Map(graph.edges.flatMap(({ from, to, test }) => (test?.holds === true ? [[from, to]] : [])));
  // A join may lead to a later one.
  for (const id of joins.toReversed()) {
    const next = guarded.get(id);
    if (groups.has(id) || skipped.has(id) || (next !== undefined && nodes.has(next))) nodes.set(id, 'ran');
  }
}

function hooksOf(plan: Plan, hook: 'finally'): string[] {
  return plan.ops.flatMap((op, index) => (op.kind === 'hook' && op.hook === hook ? `op${index}` : []));
}
