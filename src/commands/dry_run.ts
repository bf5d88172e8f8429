import { outline } from '../ir/views/outline.ts';
import type { Plan } from '../ir/plan.ts';
import { preview } from '../ir/views/preview.ts';
import { printDocument } from '../output/document.ts';
import type { Options } from '../command_line/parse.ts';
import { EXIT, type Io } from '../output/io.ts';
import { sayPainted, type Rules } from '../output/paint.ts';

/** The colours of an outline: headings and hooks, and what stands in parentheses before a command. */
const OUTLINE_RULES: Rules = [
  [/ {2}\(.{0,200}?\)(?= {2}|$)/, 'faint'],
  [/^(?:workflow .*| *> [^ ]+(?: [^ ]+)*| +\[\w+\](?= {2}))/, 'bold'],
];

/** `workflow run --dry-run`: prints the plan as a document, and as an outline on standard error. */
export function dryRun(io: Io, plan: Plan, options: Options): number {
  if (!options.switches.has('quiet')) sayPainted(io, outline(plan), OUTLINE_RULES);
  return printDocument(io, preview(plan), options, EXIT.ok);
}
