import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND, finish } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { LINUX } from '../support/processes/shell.ts';
import { project, type Project } from '../support/runs/recorded_run.ts';

/** Directories, which are synced beside the first command, or not before the end of a short run. */
const SYNCED = new Set(['.cli/runs', '.cli/runs/ID']);

/** The files that a run opens in the directory of its project, without its id and its pid; no records for usual times. */
async function openedFiles({ cwd }: Project, code: number): Promise<readonly string[]> {
  // A file for each process: in a common one, a call is cut in two where another process calls meanwhile.
  const output = mkdtempSync(join(cwd, 'trace-'));
  const calls = ['-e', 'signal=none', '-e', 'trace=?open,openat,?openat2,?creat'];
  const trace = ['-ff', '-qq', '-o', join(output, 'calls'), ...calls];
  const result = await finish('strace', [...trace, ...COMMAND, 'run', 'ci', '--quiet'], {
    cwd,
    env: { CLI_NO_JOURNAL: undefined },
  });
  assert.equal(result.code, code, result.stderr);
  const lines = readdirSync(output).map((name) => readFileSync(join(output, name), 'utf8'));
  const paths = lines.join('').matchAll(/"([^"]*)", \S+(?:, \d+)?\) = \d+/g);
  const own = [...paths].flatMap(([, path = '']) =>
    path.includes('.cli/') ? [path.slice(path.indexOf('.cli/'))] : [],
  );
  const names = own.map((path) => path.replace(/\d{8}-\d{6}-\w{5}/, 'ID').replace(/\.\d+$/, '.PID'));
  return [...new Set(names)].filter((name) => !SYNCED.has(name)).toSorted();
}

test('a run opens its record, its plan and its file only', { ...LINUX, ...needs('strace') }, async (t) => {
  const own = project(t, ['true']);
  const [session, file] = ['.cli/runs/ID/.session-1.ndjson.PID', '.cli/workflow.json'];
  const plan = '.cli/runs/ID/plan-1.json.new';
  assert.deepEqual(await openedFiles(own, 0), ['.cli/runs/.gitignore', session, plan, file]);
  own.edit(['false']);
  assert.deepEqual(await openedFiles(own, 1), [session, plan, file]);
});
