import assert from 'node:assert/strict';
import { request, type IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import type { serve } from '../../../src/cli/commands/page/ui.d.cts';
import { RecordedRuns } from '../../../src/cli/run_data/recorded_runs.ts';
import { startOf, thisProcess } from '../../../src/records/journal/holder/holder.ts';
import type { SessionHeader } from '../../../src/records/journal/record.ts';
import { COMMAND, ROOT, temporaryDirectory } from '../cli.ts';

const bundle: { serve: typeof serve } = createRequire(import.meta.url)(join(ROOT, 'dist/ui.cjs'));

/** A page of runs whose server is in the process of the tests. */
export type Page = Readonly<{ cwd: string; runs: string; port: number; key: string; close: () => void }>;

type Settings = Readonly<{ readOnly?: boolean; runShown?: () => string | undefined }>;

export async function servePage(t: TestContext, settings: Settings = {}): Promise<Page> {
  const cwd = temporaryDirectory(t);
  const runs = join(cwd, '.cli/runs');
  const place = { ...settings, directory: cwd, readOnly: settings.readOnly === true };
  const io = { stdin: 0, stdout: 1, stderr: 2, die: async () => 1 };
  const opened = RecordedRuns.open({ ...io, env: { ...process.env, CLI_RUNS_DIR: runs } }, place, COMMAND);
  assert.ok(opened.ok);
  const served = await bundle.serve({ ...place, runs: opened.value, port: 0 });
  assert.ok(served.ok);
  t.after(() => served.value.close());
  return { cwd, runs, ...served.value };
}

/** The part of a header that names a process. */
export function heldBy(pid: number): Partial<SessionHeader> {
  return { ...thisProcess(), pid, started: startOf(pid) ?? null };
}

/** An answer of the server. */
export type PageAnswer = Readonly<{ status: number; headers: IncomingHttpHeaders; body: string }>;

/** A request as any program can make it. `key` is that of the page unless it is named. */
export async function ask(
  { port, key }: Pick<Page, 'port' | 'key'>,
  line: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Promise<PageAnswer> {
  const [method, path] = line.split(' ', 2);
  return new Promise((resolve, reject) => {
    const all = { Host: `127.0.0.1:${port}`, Authorization: `Bearer ${key}`, ...headers };
    const sent = request({ host: '127.0.0.1', port, method, path, headers: all, agent: false }, (response) => {
      void text(response).then((received) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: received }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

let count = 0;

/** The id of a new run, higher than all before: the entries of runs are those of the whole process. */
export function nextRun(): string {
  count += 1;
  return `20261123-000000-${String(count).padStart(5, '0')}`;
}
