import { fitWidths, widthsOf } from '../../output/columns.ts';
import { print } from '../../output/document.ts';
import { escapeForTerminal } from '../../output/escape.ts';
import { EXIT, printStderr, type Io } from '../../output/io.ts';
import { createPainter, type Rules } from '../../output/paint.ts';
import { formatAge, formatElapsed } from '../../output/quantities.ts';
import { terminalColumns } from '../../output/terminal.ts';
import { truncateEnd, widthOf } from '../../output/text_width.ts';
import type { RunEntry } from '../../run_data/run_entry.ts';

/** A row of the list of runs. Times are ISO 8601. `step` is the one that failed or is running. */
export type ListedRun = Readonly<{ name: string; state: string }> &
  Pick<RunEntry, 'workflow' | 'start' | 'duration_ms' | 'step'>;

/** The width of the table, in columns, unless the terminal is narrower. */
const WIDTH = 80;

/** The greatest width of the name of a workflow, in columns. */
const NAME_WIDTH = 16;

const HEADINGS = ['RUN', 'WORKFLOW', 'STATE', 'STARTED', 'AGE', 'TOOK', 'STEP'];

const STATES: Rules = [
  [/^succeeded\b/, 'green'],
  [/^(?:failed|crashed|lost|damaged|broken)\b/, 'red'],
  [/^(?:running|waiting|queued)\b/, 'cyan'],
  [/^(?:interrupted|stopped|cancelled|unclear)\b/, 'yellow'],
];

/** Prints a table of runs for people, or that there are none in `place`. */
export function printRuns(io: Io, runs: readonly ListedRun[], place: string): number {
  if (runs.length === 0) {
    printStderr(io, [`no run is recorded in ${place}`], 'cli: ');
    return EXIT.ok;
  }
  const now = Date.now();
  const rows = [HEADINGS, ...runs.map((run) => cellsOf(run, now))].map((cells) => cells.map(escapeForTerminal));
  const widths = widthsOf(rows);
  // The step gives way first, and then the names of workflows.
  const cut = [HEADINGS.indexOf('STEP'), HEADINGS.indexOf('WORKFLOW')];
  fitWidths(widths, Math.min(terminalColumns(io.stdout) ?? WIDTH, WIDTH), cut);
  const paint = createPainter(io, io.stdout, STATES) ?? ((text: string) => text);
  const lines = rows.map((cells) => {
    const shown = cells.map((cell, column) => {
      const width = widths[column] ?? 0;
      const fitted = truncateEnd(cell, width);
      return (HEADINGS[column] === 'STATE' ? paint(fitted) : fitted) + ' '.repeat(width - widthOf(fitted));
    });
    return `${shown.join('  ').trimEnd()}\n`;
  });
  return print(io, lines, EXIT.ok);
}

function cellsOf({ name, workflow, state, start, duration_ms: took, step }: ListedRun, now: number): string[] {
  const began = start === null ? Number.NaN : Date.parse(start);
  const [started, age] = Number.isNaN(began) ? ['-', '-'] : [localTime(new Date(began), now), formatAge(now - began)];
  const elapsed = took === null ? '-' : formatElapsed(took);
  return [name, truncateEnd(workflow ?? '-', NAME_WIDTH), state, started, age, elapsed, step ?? ''];
}

/** The local time to the minute, or the date in another year. */
function localTime(time: Date, now: number): string {
  const parts = [time.getMonth() + 1, time.getDate(), time.getHours(), time.getMinutes()];
  const [month, day, hour, minute] = parts.map((part) => String(part).padStart(2, '0'));
  if (time.getFullYear() !== new Date(now).getFullYear()) return `${time.getFullYear()}-${month}-${day}`;
  return `${month}-${day} ${hour}:${minute}`;
}
