import type { WorkflowStatus } from '@dbos-inc/dbos-sdk';
import { attemptsOf, isKept, type RunEnd, type SessionRecord } from '../../../../src/internal.ts';

/** Records that were stored together, in one engine step. */
export type StoredRecords = readonly SessionRecord[];

/** The result of one engine step: the next records of a run, or its end. */
export type NextRecords = Readonly<{ kind: 'records'; records: StoredRecords } | { kind: 'end'; end: RunEnd }>;

/** True for the output of an engine step of a run. */
export function isNextRecords(value: unknown): value is NextRecords {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/**
 * The resumes of a run. `starts` are the numbers of engine steps before each session but the first. `takeovers` and `fence`
 * are those before the current session: each takeover and each resume raises the fence.
 */
export type Resumes = Readonly<{ starts: readonly number[]; takeovers: number; fence: number }>;

/** The resumes of a run that has not been resumed. */
export const NO_RESUMES: Resumes = { starts: [], takeovers: 0, fence: 0 };

/** The resumes in the attributes of a run's row. */
export function resumesOf(attributes: WorkflowStatus['attributes']): Resumes {
  const found: unknown = attributes?.['resumed'];
  return isResumes(found) ? found : NO_RESUMES;
}

function isResumes(value: unknown): value is Resumes {
  return typeof value === 'object' && value !== null && 'starts' in value && 'fence' in value;
}

/** The records of each session of a run. */
export function sessionsOf(stored: readonly StoredRecords[], { starts }: Resumes): readonly StoredRecords[] {
  return [0, ...starts].map((start, index) => stored.slice(start, starts[index]).flat());
}

/** The number of engine steps that a resume keeps, and whether it begins a new session. */
export type ResumePoint = Readonly<{ keep: number; isNewSession: boolean }>;

/**
 * The point at which a resume continues, from the outputs of the engine steps of an ended run: before the hooks that
 * followed its failure. `after_all` and the `finally` of a workflow count as steps once they have succeeded, because
 * they do not run again. A run that became broken during its steps continues its session.
 */
export function resumePoint(outputs: readonly unknown[]): ResumePoint {
  const steps = outputs.map((output) => (isNextRecords(output) ? output : undefined));
  const keep = steps.findLastIndex((step) => !isRepeated(step)) + 1;
  return { keep, isNewSession: steps.slice(keep).some((step) => step !== undefined) };
}

/** True for what a resume removes from the end: hooks, the end of the run, and an engine step that failed. */
function isRepeated(step: NextRecords | undefined): boolean {
  if (step?.kind !== 'records') return true;
  return attemptsOf(step.records).some((attempt) => attempt.start.what === 'hook' && !isKept(attempt));
}
