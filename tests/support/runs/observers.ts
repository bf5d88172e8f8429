import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { copySuffix } from '../../../src/cli/reporters/file/op_identity.ts';
import { escapeForTerminal } from '../../../src/cli/output/escape.ts';
import { junit } from '../../../src/cli/reporters/file/junit_report.ts';
import type { Cleaner } from '../cli.ts';
import { reportIn, type ReportDocument } from '../goldens/report.ts';
import { eventsIn } from './events.ts';
import { compareRecord } from './record_observers.ts';

type Op = ReportDocument['ops'][number];

/** The output of a run with `--events events --report report.json`. `runs` is the directory of its record. */
type Observed = Readonly<{ cwd: string; stdout: string; stderr: string; runs: string }>;

/** Compares the results of all ops in a report with those of all other observers, and returns the report. */
export async function compareObservers(t: Cleaner, { cwd, stdout, stderr, runs }: Observed): Promise<ReportDocument> {
  const report = reportIn(cwd);
  const summary = join(cwd, 'summary.md');
  compareEvents(report, cwd);
  compareDocument(report, stdout);
  compareJUnit(report);
  if (existsSync(summary)) {
    compareProgress(report, stderr);
    compareSummary(report, readFileSync(summary, 'utf8'));
  } else comparePlainLines(report, stderr);
  await compareRecord(t, report, runs);
  return report;
}

/** Fields that only one of a report and its events has, or that name the time of another moment. */
const OTHERS = new Set('event time op frame file line column start end duration_ms offset_ms'.split(' '));

function common(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !OTHERS.has(name)));
}

/** Each op of a report has one `op_ended`, with the same fields. */
function compareEvents({ ops }: ReportDocument, cwd: string): void {
  const ended = eventsIn(cwd).filter(({ event }) => event === 'op_ended');
  const sorted = ended.toSorted((one, other) => Number(one['op']) - Number(other['op']));
  assert.deepEqual(
    sorted.map((event) => [event['op'], common(event)]),
    ops.map((op, index) => [index, common(op)]),
  );
}

/** Ops with an end: a command ended, or could not be started. */
const hasEnded = ({ status }: Op): boolean => ['succeeded', 'stopped', 'failed', 'not started'].includes(status);

const hasSucceeded = ({ status }: Op): boolean => status === 'succeeded' || status === 'stopped';

const Code = v.nullable(v.number());
const Entry = v.object({
  name: v.string(),
  exit_code: Code,
  kept: v.optional(v.boolean(), false),
  allowed_failure: v.optional(v.boolean(), false),
});
const Hook = v.optional(v.object({ command: v.string(), exit_code: v.number() }));
const Result = v.object({
  steps: v.array(Entry),
  before_all: Hook,
  after_all: Hook,
  error: Hook,
  finally: Hook,
  hooks: v.optional(v.array(v.object({ hook: v.string(), workflow: v.string(), exit_code: v.number() })), []),
  success: v.boolean(),
  interrupted: v.nullish(v.string(), null),
});

/** The document has the steps with an end and the kept ones, and the hooks with an end. */
function compareDocument({ ops, success, interrupted }: ReportDocument, stdout: string): void {
  const found = v.parse(Result, JSON.parse(stdout));
  assert.deepEqual([found.success, found.interrupted], [success, interrupted]);
  const ended = ops.filter((op) => hasEnded(op) || op.status === 'kept');
  const steps = ended.filter(({ kind }) => kind === 'step');
  assert.deepEqual(
    found.steps.map(({ name, kept, allowed_failure: allowed }) => ({ name, kept, allowed })),
    steps.map(({ name, status, allowed }) => ({ name, kept: status === 'kept', allowed })),
  );
  const codes = (all: readonly (number | null)[]): readonly (number | null)[] =>
    all.filter((_, index) => steps[index]?.status !== 'kept');
  assert.deepEqual(codes(found.steps.map((each) => each.exit_code)), codes(steps.map((each) => each.exit_code)));
  for (const name of ['before_all', 'after_all', 'error', 'finally'] as const) {
    const hook = ended.find((op) => op.kind === 'hook' && op.workflow === null && op.name === name);
    assert.deepEqual(found[name]?.command, hook?.command);
    if (hook?.status !== 'kept') assert.equal(found[name]?.exit_code, hook?.exit_code ?? undefined);
  }
  const own = ended.filter((op) => op.kind === 'hook' && op.workflow !== null);
  assert.deepEqual(
    found.hooks.map(({ hook, workflow, exit_code: code }) => [hook, workflow, code]),
    own.map(({ name, workflow, exit_code: code }) => [name, workflow, code]),
  );
}

/** The elements of JUnit for each status; none for a success. */
const ELEMENTS: Readonly<Record<Op['status'], string>> = {
  succeeded: '',
  stopped: '',
  met: '',
  'not met': '',
  kept: '',
  failed: 'failure',
  declined: 'failure',
  'not started': 'error',
  skipped: 'skipped',
  'left out': 'skipped',
  'not reached': 'skipped',
};

function compareJUnit(report: ReportDocument): void {
  const cases = [...junit(report)].join('').split('<testcase').slice(1);
  const ops = report.ops.filter(({ kind, status }) => kind !== 'condition' || status === 'not started');
  const expected = ops.map(({ status, allowed, ready_ms: ready }) => {
    // The time until it was ready is an element `system-out`.
    if (status === 'stopped' && typeof ready === 'number') return 'system';
    return allowed ? 'skipped' : ELEMENTS[status];
  });
  const found = cases.map((text) => /^[^>]*[^/]>\s*<(\w+)/.exec(text)?.[1] ?? '');
  assert.deepEqual(found, [...expected, ...(report.interrupted === null ? [] : ['error'])]);
}

/** The counts of a run: `3 steps ran, 1 skipped`. */
function countsOf({ ops }: ReportDocument): string {
  const steps = ops.filter(({ kind }) => kind === 'step');
  const count = (...statuses: Op['status'][]): number => steps.filter((op) => statuses.includes(op.status)).length;
  const ran = count('succeeded', 'stopped', 'failed');
  const others = (['kept', 'left out', 'skipped', 'not started', 'declined', 'not reached'] as const).flatMap(
    (status) => (count(status) === 0 ? [] : `${count(status)} ${status}`),
  );
  return [`${ran} step${ran === 1 ? '' : 's'} ran`, ...others].join(', ');
}

/** The texts after `start` in lines that contain it. Steps may have printed something before. */
function after(text: string, start: string): string[] {
  return text
    .split('\n')
    .flatMap((line) => (line.includes(start) ? line.slice(line.indexOf(start) + start.length) : []));
}

/** Each step and hook with an end has a line about its start and one about its end; a declined step has one line. */
function comparePlainLines(report: ReportDocument, printed: string): void {
  const stderr = printed.replaceAll('cli: background step ', 'cli: step ');
  const { ops, workflow, success } = report;
  const end = `cli: workflow '${escapeForTerminal(workflow)}' ${success ? 'succeeded' : 'failed'}: `;
  assert.deepEqual(after(stderr, end), [`${countsOf(report)}, <time>`]);
  const ended = ops.filter(({ kind }) => kind !== 'condition');
  for (const subject of new Set(ended.map((op) => subjectOf(op, report)))) {
    const own = ended.filter((op) => subjectOf(op, report) === subject);
    const starts = stderr.split('\n').filter((line) => line.endsWith(`cli: ${subject}`));
    assert.equal(starts.length, own.filter(hasEnded).length, subject);
    // The subject of a file's hook is the beginning of that of a workflow's hook.
    const ends = after(stderr, `cli: ${subject} `).filter(
      (line) => !/^of workflow |; retrying in |^is ready/.test(line),
    );
    const expected = own.filter((op) => hasEnded(op) || op.status === 'declined').map(verdictOf);
    assert.deepEqual(ends.map(readVerdict).toSorted(), expected.toSorted(), subject);
  }
}

function subjectOf({ kind, name, workflow, call }: Op, { calls }: ReportDocument): string {
  const owner = workflow === null ? '' : ` of workflow '${workflow}'${copySuffix(calls, call)}`;
  return escapeForTerminal(`${kind} '${name}'${owner}`);
}

function verdictOf({ status, allowed, attempts }: Op): string {
  return status === 'succeeded' || status === 'stopped' ? `${status} ${attempts}` : `${status} ${allowed}`;
}

/** The verdict in the predicate of a plain line. */
function readVerdict(text: string): string {
  if (text.startsWith('was stopped')) return 'stopped 1';
  if (text.startsWith('succeeded')) return `succeeded ${/ in (\d+) attempts/.exec(text)?.[1] ?? 1}`;
  const allowed = text.includes('(allowed)');
  if (/^(?:was declined|asks a question)/.test(text)) return `declined ${allowed}`;
  return `${text.startsWith('could not be started') ? 'not started' : 'failed'} ${allowed}`;
}

/** The summary of progress has the counts, and the failures, with those that are allowed apart. */
function compareProgress(report: ReportDocument, stderr: string): void {
  const line = stderr
    .split('\n')
    .find((each) => / (?:succeeded|failed|was interrupted by \w+): \d+ steps? ran/.test(each));
  assert.equal(line?.replace(/^.*?: .*?: /, ''), `${countsOf(report)}, <time>`);
  const failures = report.ops.filter((op) => hasEnded(op) && !hasSucceeded(op));
  const count = (label: string): number =>
    stderr.split('\n').filter((each) => each.startsWith(`cli:   ${label} `)).length;
  assert.equal(count('failed '), failures.filter(({ allowed }) => !allowed).length);
  assert.equal(count('allowed'), failures.filter(({ allowed }) => allowed).length);
}

/**
 * The table of a job summary has the ops with an end, and a row for each condition that skipped its steps. An
 * interruption leaves the steps behind a condition unreached, whatever its command has returned.
 */
function compareSummary({ ops }: ReportDocument, summary: string): void {
  const rows = summary
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  const results = rows.map((row) => row.split(' | ')[2]?.replace(/ \|.*$/, '') ?? '');
  const count = (pattern: RegExp): number => results.filter((result) => pattern.test(result)).length;
  const ended = ops.filter((op) => hasEnded(op));
  const bad = ended.filter((op) => !hasSucceeded(op) && !op.allowed);
  assert.equal(count(/^(?:ok|stopped)/), ended.filter(hasSucceeded).length);
  assert.equal(count(/^\*\*/), bad.length);
  const skips = ops.filter(({ status }, index) => status === 'not met' && ops[index + 1]?.status !== 'not reached');
  assert.equal(count(/^skipped/), skips.length);
  assert.equal(rows.length, ended.length + skips.length);
  const unreached = ops.filter(({ kind, status }) => kind === 'step' && status === 'not reached').length;
  assert.deepEqual(after(summary, 'Steps not reached: '), unreached === 0 ? [] : [String(unreached)]);
}
