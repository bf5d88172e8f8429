import { remoteFields } from '../../run_data/remote/remote_entry.ts';
import { remoteReport, resumeLine } from '../../run_data/remote/remote_report.ts';
import { listedOps, stepEntry } from '../../run_data/reports/step_entry.ts';
import type { RemoteHistory } from '../../engine/engine.ts';
import { attemptsOf } from '../../../records/journal/fold_history.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { printDocument } from '../../output/document.ts';
import { EXIT, type Io } from '../../output/io.ts';
import { prefersText } from './prefers_text.ts';

/** `runs show` of a remote run. */
export async function showRemoteRun(io: Io, history: RemoteHistory, options: Options): Promise<number> {
  const { entry, sessions } = history;
  const report = remoteReport(history);
  if (!prefersText(io, options)) {
    const steps = listedOps(report).map(stepEntry);
    const document = { ...remoteFields(entry), ops: sessions.flatMap(endedOps), steps };
    return printDocument(io, document, options, EXIT.ok);
  }
  const { run: id, state, worker } = entry;
  const shown = {
    id,
    state,
    sessions: entry.sessions,
    isOver: entry.ended !== undefined,
    now: Date.now(),
    reasons: worker === undefined ? [] : [`on ${worker}`],
    goOn: resumeLine(entry),
    outputOf: () => [`its output: cli runs logs ${id}`],
  };
  return (await import('./show/run_text.ts')).printRun(io, shown, report);
}

/** The commands of a session that have ended. */
function endedOps(records: RemoteHistory['sessions'][number]): readonly object[] {
  return attemptsOf(records).flatMap(({ start: { op, what, name, attempt, at }, end }) => {
    if (end === undefined) return [];
    const ended = new Date(Date.parse(at) + end.ms).toISOString();
    return [{ op, kind: what, name, attempt, exit_code: end.exit, started: at, ended }];
  });
}
