import type { WorkflowStatus } from '@dbos-inc/dbos-sdk';
import type { RunEnd, RunRecord } from '../../../../src/internal.ts';

/** The result of one engine step: the next record of a run, or its end. */
export type NextRecord = Readonly<{ kind: 'record'; record: RunRecord } | { kind: 'end'; end: RunEnd }>;

/** True for the output of an engine step of a run. */
export function isNextRecord(value: unknown): value is NextRecord {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/**
 * The resumes of a run. `starts` are the numbers of records before each session but the first. `takeovers` and `fence`
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

/** Splits the records of a run into its sessions. */
export function sessionsOf<Item>(records: readonly Item[], { starts }: Resumes): readonly (readonly Item[])[] {
  return [0, ...starts].map((start, index) => records.slice(start, starts[index]));
}

/** The number of records that a resume keeps, and whether it begins a new session. */
export type ResumePoint = Readonly<{ keep: number; isNewSession: boolean }>;

/**
 * The point at which a resume continues, from the outputs of the engine steps of an ended run: before the hooks that
 * followed its failure. `after_all` counts as a step, because it does not run again. A run that became broken during
 * its steps continues its session.
 */
export function resumePoint(outputs: readonly unknown[]): ResumePoint {
  const steps = outputs.map((output) => (isNextRecord(output) ? output : undefined));
  const keep = steps.findLastIndex((step) => !isRepeated(step)) + 1;
  return { keep, isNewSession: steps.slice(keep).some((step) => step !== undefined) };
}

/** True for what a resume removes from the end: hooks, the end of the run, and an engine step that failed. */
function isRepeated(step: NextRecord | undefined): boolean {
  return step?.kind !== 'record' || isRepeatedHook(step.record);
}

function isRepeatedHook(record: RunRecord): boolean {
  return record.kind === 'op' && record.what === 'hook' && !(record.name === 'after_all' && record.finished);
}
