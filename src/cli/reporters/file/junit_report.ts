import { describeExitCode } from '../failure_text.ts';
import { escapeMarkup } from './escape_markup.ts';
import { copySuffix } from './op_identity.ts';
import { type Report, type ReportOp, describeReady, countSteps, isEmpty } from './report.ts';

/** The result of a test case. */
type Verdict = 'success' | 'failure' | 'error' | 'skipped';

/**
 * A report as JUnit XML, with a test case for each step and hook, for a condition that could not be tested, and for an
 * interruption, which would otherwise look like success if the interrupted step exited with 0.
 *
 * JUnit has no specification. The elements are those of the Jenkins schema; GitLab and actions for GitHub show the
 * attributes `file` and `line`:
 * https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd
 */
export function* junit(report: Report): Generator<string> {
  const { workflow, interrupted } = report;
  const counts = { success: 0, failure: 0, error: 0, skipped: 0 };
  for (const op of cases(report)) counts[verdict(op)] += 1;
  if (interrupted !== null) counts.error += 1;
  const { failure: failures, error: errors, skipped } = counts;
  const tests = counts.success + failures + errors + skipped;
  const all = { tests, failures, errors, time: seconds(report.duration_ms) };
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield `<testsuites${attributes({ name: workflow, ...all })}>\n`;
  yield `  <testsuite${attributes({ name: workflow, ...all, skipped, timestamp: report.start })}>\n`;
  const seen = new Map<string, number>();
  for (const op of cases(report)) yield testcase(op, workflow, seen, copySuffix(report.calls, op.call));
  if (interrupted !== null) {
    const message = `interrupted by ${interrupted}`;
    yield `    <testcase${attributes({ name: 'the run', classname: workflow, time: all.time })}>\n`;
    yield `      <error${attributes({ message, type: 'interrupted' })}/>\n    </testcase>\n`;
  }
  if (isEmpty(countSteps(report.ops))) yield `    <system-out>${escapeMarkup(report.summary)}</system-out>\n`;
  yield '  </testsuite>\n</testsuites>\n';
}

function* cases({ ops }: Report): Generator<ReportOp> {
  for (const op of ops) if (op.kind !== 'condition' || op.status === 'not started') yield op;
}

/** An allowed failure is `skipped`: JUnit has no term for it, and readers would count it as a failure. */
function verdict({ status, allowed }: ReportOp): Verdict {
  if (allowed) return 'skipped';
  if (status === 'failed' || status === 'declined') return 'failure';
  if (status === 'not started') return 'error';
  return status === 'skipped' || status === 'left out' || status === 'not reached' ? 'skipped' : 'success';
}

/** A hook of the requested workflow and one of the file have the same class. */
function hookTitle({ name, workflow }: ReportOp): string {
  return `hook ${name}${workflow === null ? '' : ` of ${workflow}`}`;
}

/**
 * `copy` is the combination of a copied call. `seen` counts names. Repeated names get a number, because readers merge
 * test cases with the same name.
 */
function testcase(op: ReportOp, workflow: string, seen: Map<string, number>, copy: string): string {
  const classname = op.workflow ?? workflow;
  const own = `${op.kind === 'hook' ? hookTitle(op) : (op.name ?? `condition of step ${op.step}`)}${copy}`;
  const key = JSON.stringify([classname, own]);
  const count = (seen.get(key) ?? 0) + 1;
  seen.set(key, count);
  const name = count === 1 ? own : `${own} (${count})`;
  const { file, line, column, command, status } = op;
  const start = `    <testcase${attributes({ name, classname, time: seconds(op.duration_ms ?? 0), file, line })}`;
  const kind = verdict(op);
  const end = '\n    </testcase>\n';
  const ready = typeof op.ready_ms === 'number' ? describeReady(op.ready_ms) : '';
  if (kind === 'success' && ready === '') return `${start}/>\n`;
  if (kind === 'success') return `${start}>\n      <system-out>${status}, ${ready}</system-out>${end}`;
  const failure = op.reason ?? describeExitCode(op.exit_code ?? 0);
  const skipped = op.allowed ? `failed (allowed): ${failure}` : (op.reason ?? status);
  if (kind === 'skipped') return `${start}>\n      <skipped${attributes({ message: skipped })}/>${end}`;
  const text = escapeMarkup(`${file}:${line}:${column}\n${command}${ready === '' ? '' : `\n${ready}`}`);
  const lines = (op.output ?? []).map((each) => `${escapeMarkup(each)}\n`).join('');
  const output = lines === '' ? '' : `\n      <system-out>${lines}</system-out>`;
  return `${start}>\n      <${kind}${attributes({ message: failure, type: status })}>${text}</${kind}>${output}${end}`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeMarkup(String(value))}"`)
    .join('');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
