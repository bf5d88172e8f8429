import type { Options } from '../../command_line/parse_command_line.ts';
import { planFile } from '../../../ir/views/plan_file.ts';
import { print, printDocument } from '../../output/document.ts';
import { escapeForTerminal } from '../../output/escape.ts';
import { EXIT, refuse, type Io } from '../../output/io.ts';
import { outputLines } from '../../output/paint.ts';
import { makePlan, planEntry } from './make_plan.ts';

/** `workflow plan`: prints the plan file of a workflow or its digest, or compares a plan file with the current plan. */
export async function plan(io: Io, options: Options): Promise<number> {
  if (options.digest) {
    if (options.check !== undefined) return refuse(io, ["'--check' and '--digest' cannot be used together"]);
    return (await import('./digest_plan.ts')).digestPlan(io, options);
  }
  if (options.args.length > 0)
    return refuse(io, ["a plan file has no arguments after '--'; only '--digest' takes them"]);
  if (options.check !== undefined) return (await import('./check_plan.ts')).checkPlan(io, options);
  const made = await makePlan(io, options, options.words);
  if (made === undefined) return EXIT.cannotStart;
  if (options.format === 'text') return print(io, outputLines(io, planFile(made), []), EXIT.ok);
  const lines = [...planFile(made)].map(escapeForTerminal);
  return printDocument(io, { ...planEntry(made), lines }, options, EXIT.ok);
}
