import type { RunJournal } from '../../backend/run_journal.ts';
import { estimate, dryRunLines } from '../run_data/dry_run_lines.ts';
import type { PreparedRun } from '../driver/prepare_run.ts';
import { dryRunDocument } from '../../ir/views/dry_run_document.ts';
import { print, printDocument } from '../output/document.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { EXIT, printStderr, type Io } from '../output/io.ts';
import { outputLines, sayPainted, type Rules } from '../output/paint.ts';

/** The colours of an outline: headings and hooks, and the parentheses before a command. */
const OUTLINE_RULES: Rules = [
  [/ {2}\(.{0,200}?\)(?= {2}|$)/, 'faint'],
  [/^(?:workflow .*| *> [^ ]+(?: [^ ]+)*| +\[(?:[a-z_]+|[a-z]+ of .+?)\](?= {2}))/, 'bold'],
];

/**
 * `run --dry-run`: prints the plan as an outline on standard output, or as a document, with the outline on standard
 * error. Ops outside of the selected part are marked.
 */
export async function dryRun(
  io: Io,
  prepared: PreparedRun,
  options: Options,
  known: RunJournal['known'],
): Promise<number> {
  const warn = (line: string): void => printStderr(io, [line], 'cli: warning: ');
  const lines = await dryRunLines(io, prepared, options, known, warn);
  if (options.format === 'text')
    return print(io, outputLines(io, [...lines, ...(await estimate(io, prepared, options))], OUTLINE_RULES), EXIT.ok);
  if (!options.quiet) sayPainted(io, lines, OUTLINE_RULES);
  return printDocument(
    io,
    dryRunDocument(prepared.written, (op) => known(op)?.kind === 'left out', prepared.plan),
    options,
    EXIT.ok,
  );
}
