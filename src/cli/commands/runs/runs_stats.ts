import { formatUsual } from '../../output/quantities.ts';
import { openJournal, runsPlace } from '../../driver/recording/record_run.ts';
import { widthsOf } from '../../output/columns.ts';
import { print, printDocument } from '../../output/document.ts';
import { escapeForTerminal } from '../../output/escape.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { EXIT, printStderr, refuse, type Io } from '../../output/io.ts';
import { terminalColumns } from '../../output/terminal.ts';
import { truncateEnd } from '../../output/text_width.ts';
import { readAllStatistics, readStatistics, type WorkflowStatistics } from '../../run_data/statistics/statistics.ts';
import { enterDirectoryOfRuns } from './open_run.ts';

/** `workflow runs list --stats`: prints the statistics of a workflow, or of all of them. */
export function runsStats(io: Io, options: Options): number {
  const [workflow, ...others] = options.words;
  if (others.length > 0) return refuse(io, [`'--stats' takes one workflow`]);
  enterDirectoryOfRuns(io, options);
  const journal = openJournal(io, options);
  if (!journal.ok) return refuse(io, journal.problems);
  const found = workflow === undefined ? readAllStatistics(journal.value) : readStatistics(journal.value, workflow);
  const place = runsPlace(io);
  if (found === undefined) return refuse(io, [`no run of workflow '${workflow}' has ended in ${place}`]);
  if (options.format !== 'table') return printDocument(io, found, options, EXIT.ok);
  const all = [found].flat();
  if (all.length === 0) printStderr(io, [`no run is recorded in ${place}`], 'cli: ');
  const columns = terminalColumns(io.stdout) ?? Infinity;
  const texts = all.map((each) => linesOf(each, columns).join(''));
  return print(io, [texts.join('\n')], EXIT.ok);
}

const HEADINGS = ['RAN', 'PASSED', 'MEDIAN', '90 %', 'STEP'] as const;

/** The statistics of a workflow as lines: its runs, and a table of its steps. */
function linesOf(
  { workflow, runs, succeeded, median_ms, p90_ms, steps }: WorkflowStatistics,
  columns: number,
): string[] {
  const times = median_ms === null ? [] : [`median ${timeText(median_ms)}`, `90 % within ${timeText(p90_ms)}`];
  const about = [`${succeeded} of ${runs} ${runs === 1 ? 'run' : 'runs'} succeeded`, ...times].join(', ');
  const rows = [
    [...HEADINGS],
    ...steps.map((each) => {
      const { flaky } = each;
      const note = flaky === 0 ? '' : `  (failed, then passed unchanged, ${flaky} of ${each.runs})`;
      const cells = [String(each.runs), shareText(each.succeeded, each.runs), timeText(each.median_ms)];
      return [...cells, timeText(each.p90_ms), `${escapeForTerminal(each.path)}${note}`];
    }),
  ];
  const widths = widthsOf(rows);
  const table = rows.map((cells) =>
    cells.map((cell, column) => (column < 4 ? cell.padStart(widths[column] ?? 0) : cell)).join('  '),
  );
  const lines = [`${escapeForTerminal(workflow)}: ${about}`, ...(steps.length === 0 ? [] : table)];
  return lines.map((line) => `${truncateEnd(line, columns)}\n`);
}

function timeText(ms: number | null): string {
  return ms === null ? '-' : formatUsual(ms);
}

function shareText(part: number, all: number): string {
  return `${Math.round((part / all) * 100)} %`;
}
