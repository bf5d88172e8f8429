import { randomBytes } from 'node:crypto';
import type { ReadFile } from '../driver/load.ts';
import { prepare } from '../driver/prepare_run.ts';
import { matchRun } from '../driver/recording/match_run.ts';
import { newRunId } from '../../records/journal/directory/begin_run.ts';
import { runsDirectory, trustOf, type SelectedPart } from '../driver/recording/record_run.ts';
import { partTexts, selectedPart } from '../driver/recording/selected_part.ts';
import { nextSession, type Journal } from '../../records/journal/journal.ts';
import { keyedDigest, type DigestedPlan } from '../../ir/views/plan_digest.ts';
import { knownQuestion } from '../../ir/ops.ts';
import type { Io } from '../output/io.ts';
import { messageLines, type Message, type Reported } from '../output/messages/message.ts';
import { failure, type Result } from '../../base/result.ts';
import { findResume, resumeTexts } from './find_resume.ts';
import { estimate, dryRunLines } from './dry_run_lines.ts';
import { resumePlan } from './resume_plan.ts';
import { optionsOf, type RunRequest } from './start_message.ts';

/** A step whose end is unknown, as named on the command line, and the question about it. */
type UnknownStep = Readonly<{ step: string; text: string }>;

/** A run that would start, as its file is now. */
export type PlannedRun = DigestedPlan &
  Readonly<{
    request: RunRequest;
    /** The id of the run, and the number of its next session. */
    run: string;
    session: number;
    /** The keyed digest of the plan and of what is shown with it. */
    digest: string;
    /** The plan for people: as `--dry-run` shows it. */
    lines: readonly string[];
    /** The usual time of the run as a line, if it is known. */
    about: readonly string[];
    /** The reasons why a resume cannot start, with ways to resolve them. */
    problems: readonly string[];
    hasConflicts: boolean;
    unknown: readonly UnknownStep[];
    /** The questions of the steps that run. */
    questions: readonly string[];
  }>;

/** A key for the digests that one process compares. */
export function createKey(): Buffer {
  return randomBytes(32);
}

/** Plans the run of a workflow, of a file that has been read if it is given. Prints and starts nothing. */
export async function planRun(io: Io, request: RunRequest, key: Buffer, read?: ReadFile): Promise<Result<PlannedRun>> {
  const options = optionsOf(request);
  const prepared = await prepare(io, options, 'run', { read });
  if (!prepared.ok) return withLines(prepared);
  const { plan, written } = prepared.value;
  const part = await selectedPart(plan, options);
  if (!part.ok) return part;
  const { known } = part.value;
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(`warning: ${text}`);
  const outline = await dryRunLines(io, prepared.value, options, known, warn);
  const about = await estimate(io, prepared.value, options);
  const digested = { plan, written, args: options.args };
  const planned = {
    ...digested,
    request,
    run: newRunId(runsDirectory(io), trustOf(io)),
    session: 1,
    digest: keyedDigest(key, digested, partTexts(part.value)),
    lines: [...linesOf(prepared.messages), ...warnings, ...outline, ...about],
    about,
    problems: [],
    hasConflicts: false,
    unknown: [],
    questions: questionsOf(digested, known),
  };
  return { ok: true, value: planned };
}

/** Plans the resume of a run, like `planRun`. */
export async function planResume(
  io: Io,
  request: RunRequest,
  journal: Journal,
  key: Buffer,
  read?: ReadFile,
): Promise<Result<PlannedRun>> {
  const options = optionsOf(request);
  const found = await findResume(io, options, journal, request.name, [], { startDirectory: '', read });
  if (!found.ok) return withLines(found);
  const { run, prepared } = found.value;
  const { plan, written } = prepared;
  const matched = matchRun(plan, run, options);
  if (!matched.ok) return matched;
  const { states, part } = matched.value;
  const { lines, notes, problems, questions } = resumePlan(plan, run.id, states);
  const digested = { plan, written, args: options.args };
  const planned = {
    ...digested,
    request,
    run: run.id,
    session: nextSession(run),
    digest: keyedDigest(key, digested, resumeTexts(run, lines)),
    lines: [...linesOf(found.messages), ...lines, ...notes],
    about: [],
    problems,
    hasConflicts: states.conflicts.length > 0,
    unknown: questions.map(({ path, text }) => ({ step: path, text })),
    questions: questionsOf(digested, part.known),
  };
  return { ok: true, value: planned };
}

/** The request that starts a planned run: its output is kept, and its questions are answered. */
export function startRequest({ request, questions }: PlannedRun): RunRequest {
  return { ...request, logs: true, yes: questions.length > 0 };
}

function withLines({ messages, problems }: Reported<unknown> & { ok: false }): Result<never> {
  return failure(...linesOf(messages), ...linesOf(problems));
}

function linesOf(messages: readonly Message[] = []): readonly string[] {
  return messages.flatMap((message) => messageLines(message));
}

function questionsOf({ plan }: DigestedPlan, known: SelectedPart['known']): readonly string[] {
  return plan.ops.flatMap((op, index) =>
    op.kind !== 'run' || known(index) !== undefined ? [] : (knownQuestion(op) ?? []),
  );
}
