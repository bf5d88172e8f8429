import { attemptsOf, type Attempt } from '../../journal/fold_history.ts';
import type { RecordedRun } from '../../journal/journal.ts';
import { commandOf, type RecordedCommand } from '../../driver/runs/recorded_commands.ts';
import type { Report, ReportOp } from '../../reporters/file/report.ts';
import type { Status } from '../../reporters/op_results.ts';
import { countSteps, describeCounts } from '../../reporters/file/step_counts.ts';
import { signalOf } from '../../reporters/op_text.ts';

/** The note of a report that is made from the record of a run. */
const NOTE =
  'From the record of the run: without positions in the file, the output of commands, and steps that did not start.';

/** A command of a recorded run, with its last attempt in a session. */
type LastAttempt = Attempt & Readonly<{ command: RecordedCommand }>;

/** The report of a run from its record. */
export function recordedReport(run: RecordedRun, params: Readonly<Record<string, string>>): Report {
  const [first, last] = [run.sessions[0], run.sessions.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`run ${run.id} has no session`);
  const attempts = lastAttempts(run);
  const finish = last.records.find((record) => record.kind === 'finish');
  const ended = finish?.kind === 'finish' ? finish : undefined;
  const times = attempts.map(({ start, end }) => Date.parse(start.at) + (end?.ms ?? 0));
  const from = Date.parse(first.header.at);
  const to = ended === undefined ? Math.max(from, ...times.slice(-1)) : Date.parse(ended.at);
  const ops = attempts.map((attempt) => opOf(attempt, from, run.sessions.length > 1));
  return {
    version: 1,
    workflow: first.header.workflow,
    success: ended?.success === true,
    interrupted: ended?.interrupted ?? null,
    start: first.header.at,
    end: new Date(to).toISOString(),
    duration_ms: to - from,
    summary: describeCounts(countSteps(ops)),
    tool: last.header.tool,
    params,
    host: last.header.host,
    git: null,
    note: NOTE,
    calls: [{ workflow: first.header.workflow, caller: null, step: null, name: null }],
    ops,
  };
}

/** The commands of a run, each with its last attempt per session. */
function lastAttempts({ sessions }: RecordedRun): readonly LastAttempt[] {
  return sessions.flatMap(({ header, records }) => {
    const all = attemptsOf(records).map(({ start, end }) => ({
      start,
      end,
      command: commandOf(start, header.session),
    }));
    return [...new Map(all.map((attempt) => [JSON.stringify(attempt.start.id), attempt])).values()];
  });
}

function opOf({ command, start, end }: LastAttempt, runStart: number, hasSessions: boolean): ReportOp {
  const from = Date.parse(start.at);
  const exit = end?.exit ?? null;
  return {
    kind: start.what,
    name: hasSessions ? `${command.path} (session ${command.session})` : command.path,
    workflow: null,
    call: 0,
    step: null,
    command: start.print.command,
    status: statusOf({ start, end }),
    reason: end === undefined ? 'its end was not recorded' : (end.why ?? null),
    attempts: start.attempt,
    allowed: end?.allowed === true,
    start: start.at,
    end: end === undefined ? null : new Date(from + end.ms).toISOString(),
    duration_ms: end?.ms ?? null,
    offset_ms: from - runStart,
    exit_code: exit,
    signal: exit === null ? null : (signalOf(exit) ?? null),
    output: null,
    frame: '',
    file: '',
    line: 0,
    column: 0,
  };
}

function statusOf({ start: { what }, end }: Attempt): Status {
  if (what === 'condition' && end !== undefined) return end.exit === 0 ? 'met' : 'not met';
  return end?.failed === false ? 'succeeded' : 'failed';
}
