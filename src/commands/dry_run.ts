import { outline } from '../ir/views/outline.ts';
import type { Plan } from '../ir/plan.ts';
import { preview } from '../ir/views/preview.ts';
import { printDocument } from '../output/document.ts';
import type { Options } from '../command_line/parse.ts';
import { EXIT, say, type Io } from '../output/io.ts';

/** `workflow run --dry-run`: prints the plan as a document, and as an outline on standard error. */
export function dryRun(io: Io, plan: Plan, options: Options): number {
  if (!options.switches.has('quiet')) say(io, outline(plan));
  return printDocument(io, preview(plan), options, EXIT.ok);
}
