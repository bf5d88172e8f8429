import { closeSync, fstatSync, openSync, renameSync, unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { RunEvent } from '../../../backend/run_event.ts';
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

/** The time from the announcement of the first command, which must not wait for the plan, in milliseconds. */
const AFTER_START = 5;

/**
 * Writes the plan of a recorded session beside its records, for `runs show` and the page, as soon as the first command
 * has been started. Nothing depends on the plan, so a failure to write it is silent.
 */
export class PlanRecorder {
  readonly #prepared: Prepared;
  readonly #known: RunJournal['known'];
  #path: string | undefined;
  #isExpected = false;

  /** `runs`: the directory of all runs. */
  constructor(prepared: Prepared, { run, session, journal }: Recording, runs: string) {
    this.#prepared = prepared;
    this.#known = journal.known;
    const isTooLarge = prepared.plan.ops.length > MAX_PLAN / LEAST_BYTES;
    this.#path = run === null || isTooLarge ? undefined : planPath(runs, run, session);
  }

  onEvent({ kind }: RunEvent): void {
    if (this.#isExpected || kind !== 'started') return;
    this.#isExpected = true;
    setTimeout(() => this.write(), AFTER_START).unref();
  }

  /** Writes the plan unless it is written. */
  write(): void {
    const path = this.#path;
    if (path === undefined) return;
    this.#path = undefined;
    // Readers find the whole plan or none.
    const temporary = `${path}.new`;
    try {
      const descriptor = openSync(temporary, 'wx', 0o600);
      const problem = write(descriptor, upToLimit(plannedReport(this.#prepared, this.#known)));
      const isWhole = problem === undefined && fstatSync(descriptor).size <= MAX_PLAN;
      closeSync(descriptor);
      if (isWhole) renameSync(temporary, path);
      else unlinkSync(temporary);
    } catch {
      // Not even a bug in the plan ends the run.
    }
  }
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
