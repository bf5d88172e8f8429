import type { Options } from '../../command_line/parse_command_line.ts';
import type { SelectedPart } from '../../driver/recording/record_run.ts';
import { readAssumptions } from '../../driver/simulation/read_assumptions.ts';
import { simulatePlan } from '../../driver/simulation/simulate_plan.ts';
import type { Plan } from '../../../ir/plan.ts';
import { print, printDocument } from '../../output/document.ts';
import { EXIT, refuse, type Io } from '../../output/io.ts';
import { outputLines, sayPainted } from '../../output/paint.ts';
import { runResult } from '../run/run_result.ts';
import { SIMULATION_RULES, simulationLines } from './simulation_lines.ts';

/** `run --dry-run --assume`: prints the steps of a run and its result under assumptions. */
export async function simulateRun(io: Io, plan: Plan, options: Options, part: SelectedPart): Promise<number> {
  const assumed = readAssumptions(plan, options.assume);
  if (!assumed.ok) return refuse(io, assumed.problems);
  const { known } = part;
  const simulation = await simulatePlan(io, plan, assumed.value, { strict: options.strict, known });
  const lines = simulationLines(plan, assumed.value, simulation);
  if (options.format === 'text') return print(io, outputLines(io, lines, SIMULATION_RULES), EXIT.ok);
  if (!options.quiet) sayPainted(io, lines, SIMULATION_RULES);
  return printDocument(io, runResult(plan, simulation.outcome), options, EXIT.ok);
}
