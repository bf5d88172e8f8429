import { hasFailed } from '../../../backend/command_runner.ts';
import type { RunEvent } from '../../../backend/run_event.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { readAssumptions } from '../../driver/simulation/read_assumptions.ts';
import { simulatePlan, type Simulation } from '../../driver/simulation/simulate_plan.ts';
import { at, isWorkflowHook, type Plan } from '../../../ir/plan.ts';
import { partsOf, type Graph, type GraphEdge, type GraphPath } from '../../../ir/views/graph.ts';
import { printStderr, type Io } from '../../output/io.ts';
import { OpResults } from '../../reporters/op_results.ts';

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
  const assumed = readAssumptions(plan, options.assume);
  if (!assumed.ok) return printStderr(io, assumed.problems, 'cli: ');
  const simulation = await simulatePlan(io, plan, assumed.value, { strict: false, known: () => undefined });
  return graphPath(plan, graph, simulation);
}

/** The path of a simulated run through the graph of its plan. */
export function graphPath(plan: Plan, graph: Graph, { events, outcome: { success } }: Simulation): GraphPath {
  const results = new OpResults(plan);
  for (const event of events) results.follow(event);
  const idsOf = (kind: RunEvent['kind']): Set<string> =>
    new Set(events.flatMap((event) => (event.kind === kind && 'index' in event ? `op${event.index}` : [])));
  const [skipped, groups] = [idsOf('skipped'), idsOf('group started')];
  const ran = plan.ops.flatMap((op, index) => {
    const result = results.of(index);
    return op.kind !== 'condition' && result?.kind === 'ended' ? { id: `op${index}`, ...result } : [];
  });
  const nodes = new Map(ran.map(({ id, exit }) => [id, hasFailed(exit) ? 'failed' : 'ran'] as const));
  const broken = new Set(ran.flatMap(({ id, exit, allowed }) => (hasFailed(exit) && !allowed ? id : [])));
  nodes.set('begin', 'ran').set('finish', success ? 'ran' : 'failed');
  addJoins(graph, { nodes, skipped, groups });
  // After a failure, these nodes are reached along dashed edges.
  const ends = new Set(['finish', ...hooksOf(plan, 'finally')]);
  const failures = failedCalls(plan, results);
  /** Whether the run, or the workflow of a hook, has failed. */
  const hasFailedAt = (call: number | undefined): boolean => (call === undefined ? !success : failures.has(call));
  const callOf = new Map(plan.ops.map((op, index) => [`op${index}`, op.kind === 'hook' ? op.call : undefined]));
  const isTaken = ({ from, to, test, dashed }: GraphEdge): boolean => {
    if (!nodes.has(from) || !nodes.has(to)) return false;
    if (dashed) return hasFailedAt(callOf.get(from) ?? callOf.get(to));
    if (ends.has(to) && hasFailedAt(callOf.get(to))) return false;
    return !broken.has(from) && (test === null || test.holds !== skipped.has(test.condition));
  };
  return { nodes, edges: new Set(graph.edges.filter(isTaken)) };
}

/** The calls with a hook in whose workflow a command failed, or a step was not reached. */
function failedCalls({ ops, calls }: Plan, results: OpResults): ReadonlySet<number> {
  const failed = new Set<number>();
  /** The number of such ops before each op. */
  const counts = [0];
  for (const [index, op] of ops.entries()) {
    const before = at(counts, index);
    if (isWorkflowHook(op) && before > at(counts, at(calls, op.call).start)) failed.add(op.call);
    const result = results.of(index);
    const isUnreached = op.kind === 'run' && result === undefined;
    const hasEndedBadly =
      result?.kind === 'ended' && hasFailed(result.exit) && !result.allowed && op.kind !== 'condition';
    counts.push(before + Number(isUnreached || hasEndedBadly));
  }
  return failed;
}

/** The reached nodes, the conditions that do not hold, and the groups that start. */
type ReachedParts = Readonly<{ nodes: Map<string, 'ran' | 'failed'>; skipped: Set<string>; groups: Set<string> }>;

/** Adds the joins before conditions and groups that the run reaches. */
function addJoins(graph: Graph, { nodes, skipped, groups }: ReachedParts): void {
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
