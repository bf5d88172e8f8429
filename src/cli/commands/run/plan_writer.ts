import { closeSync, fstatSync, openSync, renameSync, unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { RunJournal } from '../../../backend/run_journal.ts';
import { write } from '../../../backend/system/write.ts';
import type { Prepared } from '../../driver/prepare_run.ts';
import type { Recording } from '../../driver/recording/record_run.ts';
import { MAX_PLAN, planPath } from '../../../records/journal/directory/file_names.ts';
import { plannedOps } from '../../run_data/reports/planned_ops.ts';
import { documentPieces } from '../../output/document.ts';
import { VERSION } from '../../../base/version.ts';
import { maskedParams } from '../../../ir/secret_names.ts';
import { now, times } from '../../reporters/moment.ts';
import { type Report, describeCounts } from '../../reporters/file/report.ts';

/** A plan with more ops is certainly larger than the limit, because each has at least this many bytes. */
const LEAST_BYTES = 300;

/**
 * Returns a function that writes the plan of a recorded session beside its records, for `runs show` and the page, unless it
 * is written. Nothing depends on the plan, so a failure to write it is silent. `runs` is the directory of all runs.
 */
export function planWriter(prepared: Prepared, { run, session, journal }: Recording, runs: string): () => void {
  const isTooLarge = prepared.plan.ops.length > MAX_PLAN / LEAST_BYTES;
  if (run === null || isTooLarge) return () => undefined;
  const path = planPath(runs, run, session);
  // Readers find the whole plan or none.
  const temporary = `${path}.new`;
  let isWritten = false;
  return () => {
    if (isWritten) return;
    isWritten = true;
    try {
      const descriptor = openSync(temporary, 'wx', 0o600);
      const problem = write(descriptor, upToLimit(plannedReport(prepared, journal.known)));
      const isWhole = problem === undefined && fstatSync(descriptor).size <= MAX_PLAN;
      closeSync(descriptor);
      if (isWhole) renameSync(temporary, path);
      else unlinkSync(temporary);
    } catch {
      // Not even a bug in the plan ends the run.
    }
  };
}

/** The pieces of a text, up to the one that exceeds the limit. */
function* upToLimit(pieces: Iterable<string>): Generator<string> {
  let size = 0;
  for (const piece of pieces) {
    yield piece;
    size += piece.length;
    if (size > MAX_PLAN) return;
  }
}

/** The text of the report of a session before its first command. */
function plannedReport(prepared: Prepared, known: RunJournal['known']): Iterable<string> {
  const { plan } = prepared;
  const { calls, ops } = plannedOps(prepared, known);
  const steps = plan.ops.filter(({ kind }) => kind === 'run').length;
  const moment = now();
  const report: Report = {
    version: 1,
    workflow: plan.workflow,
    success: false,
    interrupted: null,
    ...times(moment, moment),
    summary: describeCounts(new Map(steps > 0 ? [['not reached', steps]] : [])),
    tool: VERSION,
    params: maskedParams(plan),
    host: hostname(),
    git: null,
    calls,
    ops,
  };
  return documentPieces(report, '');
}
