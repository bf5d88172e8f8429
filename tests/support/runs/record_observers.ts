import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { showRun } from '../../../packages/mcp/src/runs/show_run.ts';
import { RecordedRuns } from '../../../src/cli/run_data/recorded_runs.ts';
import { escapeForTerminal } from '../../../src/cli/output/escape.ts';
import { SIGNS } from '../../../src/cli/reporters/file/html_style.ts';
import { describeResult, isBad } from '../../../src/cli/reporters/file/report.ts';
import { temporaryDirectory, type Cleaner } from '../cli.ts';
import type { ReportDocument } from '../goldens/report.ts';
import { toolInProcess } from '../in_process.ts';

type Op = ReportDocument['ops'][number];

const Show = v.object({
  id: v.string(),
  steps: v.array(v.object({ path: v.string(), state: v.string(), line: v.nullable(v.number()) })),
});

/** A step as an observer of the record shows it. */
type Shown = readonly [state: string, line: number | null];

/** The reason in a record, which has no values of variables: `NAME is not set` is missing. */
function recordedReason({ status, reason }: Op): string | null {
  return status === 'failed' && / is (?:not set|empty)$/.test(reason ?? '') ? null : reason;
}

/** The record gives each step of a report the same state, in `runs show` and its report, on the page and for agents. */
export async function compareRecord(t: Cleaner, { ops, success }: ReportDocument, runs: string): Promise<void> {
  const tool = toolInProcess(t);
  const page = join(temporaryDirectory(t), 'page.html');
  const env = { ...process.env, CLI_NO_JOURNAL: undefined, CLI_RUNS_DIR: runs };
  const show = async (...more: string[]): Promise<string> => {
    const { code, stdout, stderr } = await tool(['runs', 'show', '--last', '--file', 'workflow.json', ...more], {
      env,
    });
    assert.deepEqual([code, stderr], [0, '']);
    return stdout;
  };
  const listed = ops.filter(({ kind, status, allowed }) => {
    if (kind === 'condition') return isBad({ status, allowed });
    return kind === 'step' || (status !== 'not reached' && status !== 'skipped');
  });
  const expected: Shown[] = listed.map(({ status, line }) => [status, line]);
  const { id, steps } = v.parse(Show, JSON.parse(await show('--format', 'json', '--report', page)));
  assert.deepEqual(
    steps.map(({ state, line }): Shown => [state, line]),
    expected,
  );
  const lines = (await show('--format', 'text')).split('\n').filter((line) => /^ {2}\S/.test(line));
  for (const [index, op] of listed.entries()) {
    const text = escapeForTerminal(describeResult({ ...op, reason: recordedReason(op) })).replace(/^succeeded$/, '');
    const path = steps[index]?.path;
    const start = `  ${SIGNS[op.status]} ${op.kind === 'hook' ? `hook '${path}'` : path}`;
    const isOwn = (line: string): boolean => line.startsWith(escapeForTerminal(start)) && line.includes(text);
    assert.ok(op.kind === 'condition' || lines.some(isOwn), `${start}: ${text}`);
  }
  const io = { stdin: 0, stdout: 1, stderr: 2, die: async () => 1, env };
  const opened = RecordedRuns.open(io, { directory: runs, readOnly: true });
  assert.ok(opened.ok);
  const document = opened.value.document(id);
  assert.ok(document);
  const cells = [...readFileSync(page, 'utf8').matchAll(/<td class="result">(.) ([^<]*)/g)];
  const rows = document.ops.filter(({ kind, attempts }) => kind !== 'condition' || attempts > 0);
  assert.deepEqual(
    cells.map(([, sign = '']) => sign),
    rows.map(({ status }) => SIGNS[status]),
  );
  assert.deepEqual(
    document.ops.map(({ status, reason, line }) => [status, reason, line]),
    ops.map((op) => [op.status, recordedReason(op), op.line]),
  );
  const { step }: { step?: unknown } = showRun(opened.value, id, undefined).content;
  if (!success) assert.equal(step, document.ops.find(isBad)?.path);
}
