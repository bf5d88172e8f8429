import type { Options } from '../command_line/parse_command_line.ts';
import { checkResumable, findRun, untrusted } from '../driver/recording/find_run.ts';
import { prepareResume, type PreparedResume, type ResumeStart } from '../driver/recording/prepare_resume.ts';
import { nextSession, type Journal, type RecordedRun } from '../../records/journal/journal.ts';
import type { Io } from '../output/io.ts';
import type { Reported } from '../output/messages/message.ts';
import { failure } from '../../base/result.ts';

/** A recorded run that can be resumed, and its plan as its file has it now. */
export type FoundResume = Readonly<{ run: RecordedRun; prepared: PreparedResume }>;

/**
 * Finds a run to resume by its id, or the newest without one, and prepares it with parameters in addition.
 */
export async function findResume(
  io: Io,
  options: Options,
  journal: Journal,
  text: string | undefined,
  params: readonly string[],
  start: ResumeStart,
): Promise<Reported<FoundResume>> {
  const found = findRun(journal, text);
  if (!found.ok) return found;
  const run = found.value;
  const { dryRun, takeOver } = options;
  if (run.foreign && !dryRun) return failure(untrusted(run.id));
  const checked = checkResumable(run, takeOver);
  if (!checked.ok) return checked;
  const prepared = await prepareResume(io, options, run, params, start);
  const warnings = { kind: 'lines', prefix: 'cli: warning: ', lines: checked.value } as const;
  const messages = [...(checked.value.length === 0 ? [] : [warnings]), ...(prepared.messages ?? [])];
  return prepared.ok ? { ok: true, value: { run, prepared: prepared.value }, messages } : { ...prepared, messages };
}

/** The shown texts of a resume beside the plan, and its session. */
export function resumeTexts(run: RecordedRun, lines: readonly string[]): readonly string[] {
  return [String(nextSession(run)), ...lines];
}
