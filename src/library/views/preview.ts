import { graphPath } from '../../cli/commands/plans/graph_path.ts';
import { simulationLines } from '../../cli/commands/plans/simulation_lines.ts';
import { runResult } from '../../cli/commands/run/run_result.ts';
import { prepare } from '../../cli/driver/prepare_run.ts';
import { readAssumptions } from '../../cli/driver/simulation/read_assumptions.ts';
import { simulatePlan, type Simulation } from '../../cli/driver/simulation/simulate_plan.ts';
import { compactText } from '../../cli/output/document.ts';
import { escapeLines } from '../../cli/output/escape.ts';
import { EXIT } from '../../cli/output/io.ts';
import { printedMessages } from '../../cli/output/messages/message.ts';
import type { Plan } from '../../ir/plan.ts';
import { resolveStep } from '../../ir/steps/resolve_step.ts';
import { NAMES, stepPaths } from '../../ir/steps/step_paths.ts';
import { conditionParts, isCheck } from '../../ir/ops.ts';
import { dryRunDocument } from '../../ir/views/dry_run_document.ts';
import { outline } from '../../ir/views/dry_run_text.ts';
import { buildGraph, type Graph, type GraphPath } from '../../ir/views/graph.ts';
import type { IncludeFiles } from '../../cli/driver/include/load_includes.ts';
import type { LoadedProject } from '../projects.ts';
import { optionsFor, pathOfProject, readProjectFile, silentIo } from './requests.ts';
import type { AssumableStep, DryRun, GraphData, Preview, PreviewOptions, ResultDocument } from '../types.ts';

/** The dry run of a workflow, and a run of it as assumed. */
export async function previewProject(
  project: LoadedProject,
  workflow: string,
  { params = {}, assume = [], strict = false, env = {} }: PreviewOptions,
  readDotenv: IncludeFiles['read'],
): Promise<Preview> {
  const io = silentIo(env);
  const options = optionsFor(pathOfProject(project), workflow, params, { assume, strict });
  const prepared = await prepare(io, options, 'run', { read: readProjectFile(project), readDotenv });
  const messages = printedMessages(prepared.messages ?? []);
  if (!prepared.ok) return unstarted(messages + printedMessages(prepared.problems));
  const { plan, written, file } = prepared.value;
  const assumed = readAssumptions(plan, assume);
  if (!assumed.ok) return unstarted(messages + escapeLines(assumed.problems, 'cli: '));
  const simulation = await simulatePlan(io, plan, assumed.value, { strict, known: () => undefined });
  const lines = simulationLines(plan, assumed.value, simulation);
  const graph = buildGraph(plan, (name) => file.workflows.get(name)?.private === true);
  const document: DryRun = JSON.parse(compactText(dryRunDocument(written)));
  const result: ResultDocument = JSON.parse(compactText(runResult(plan, simulation.outcome)));
  return {
    messages,
    dryRun: { text: escapeLines([...outline(written)], ''), document },
    simulation: { text: escapeLines(lines, ''), document: result },
    steps: assumableSteps(plan, simulation),
    graph: graphData(graph, graphPath(plan, graph, simulation)),
    exitCode: simulation.outcome.success ? EXIT.ok : EXIT.no,
  };
}

function unstarted(messages: string): Preview {
  return { messages, dryRun: null, simulation: null, steps: [], graph: null, exitCode: EXIT.cannotStart };
}

/** The steps that assumptions can name, with the text of their conditions. */
function assumableSteps(plan: Plan, { events }: Simulation): readonly AssumableStep[] {
  const answers = new Map(
    events.flatMap((event) => {
      if (event.kind !== 'held' && event.kind !== 'skipped') return [];
      return [[event.index, event.kind === 'held'] as const];
    }),
  );
  const steps = new Map<string, AssumableStep>();
  for (const { kind, index, path } of stepPaths(plan, NAMES)) {
    const name = path.join('/');
    const op = kind === 'call' ? undefined : plan.ops[index];
    if (op === undefined || op.kind === 'hook' || isCheck(op) || resolveStep(plan, name).kind !== 'one') continue;
    const before = steps.get(name) ?? { name, command: null, condition: null };
    if (op.kind === 'condition')
      steps.set(name, {
        ...before,
        condition: { text: conditionParts(op.test).text, holds: answers.get(index) ?? null },
      });
    else steps.set(name, op.kind === 'run' ? { ...before, command: op.command } : before);
  }
  return [...steps.values()];
}

function graphData({ root, edges }: Graph, path: GraphPath): GraphData {
  return {
    root,
    edges: edges.map((edge) => {
      const { from, to, label, dashed } = edge;
      return { from, to, label, dashed, taken: path.edges.has(edge) };
    }),
    reached: Object.fromEntries(path.nodes),
  };
}
