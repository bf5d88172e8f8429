import type { RecordedRun } from '../../journal/journal.ts';
import type { SessionRecord } from '../../journal/record.ts';
import { commandOf, type RecordedCommand, type StartRecord } from '../../driver/runs/recorded_commands.ts';
import type { Report, ReportOp } from '../../reporters/file/report.ts';
import type { Status } from '../../reporters/op_results.ts';
import { countSteps, describeCounts } from '../../reporters/file/step_counts.ts';
import { signalOf } from '../../reporters/op_text.ts';

type EndRecord = Extract<SessionRecord, { kind: 'end' }>;

/** The note of a report that is made from the record of a run. */
const NOTE =
  'From the record of the run: without positions in the file, the output of commands, and steps that did not start.';

/** An attempt at a command of a recorded run. */
type Attempt = Readonly<{ command: RecordedCommand; start: StartRecord; end: EndRecord | undefined }>;

/** The report of a run from its record. */
export function recordedReport(run: RecordedRun, params: Readonly<Record<string, string>>): Report {
  const [first, last] = [run.sessions[0], run.sessions.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`run ${run.id} has no session`);
  const attempts = attemptsOf(run);
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
function attemptsOf({ sessions }: RecordedRun): readonly Attempt[] {
  return sessions.flatMap(({ header, records }) => {
    const ends = new Map(records.flatMap((record) => (record.kind === 'end' ? [[record.n, record] as const] : [])));
    const attempts = new Map<string, Attempt>();
    for (const start of records) {
      if (start.kind !== 'start') continue;
      const command = commandOf(start, header.session);
      attempts.set(JSON.stringify(start.id), { command, start, end: ends.get(start.n) });
    }
    return [...attempts.values()];
  });
}

function opOf({ command, start, end }: Attempt, runStart: number, hasSessions: boolean): ReportOp {
  const from = Date.parse(start.at);
  const exit = end?.exit ?? null;
  return {
    kind: start.what,
    name: hasSessions ? `${command.path} (session ${command.session})` : command.path,
    workflow: null,
    call: 0,
    step: null,
    command: start.print.command,
    status: statusOf(start, end),
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

function statusOf({ what }: StartRecord, end: EndRecord | undefined): Status {
  if (what === 'condition' && end !== undefined) return end.exit === 0 ? 'met' : 'not met';
  return end?.failed === false ? 'succeeded' : 'failed';
}
