import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { COMMAND } from '../cli.ts';
import { until } from '../until.ts';
import { ask, type PageAnswer } from './page.ts';
import type { Project } from './recorded_run.ts';

/** A page of the runs of a project, whose server is a process of its own. */
type Started = Readonly<{
  /** Sends a request to start something; returns the status and the document of the answer. */
  post: (id: string, action: string, body: object) => Promise<readonly [number, Document]>;
  /** The body of the answer to a request for data. */
  get: (path: string) => Promise<string>;
  /** The ids of the recorded runs, newest first, with their states and actions. */
  runs: () => Promise<readonly Listed[]>;
  /** The address that the process has printed. */
  address: string;
  kill: () => void;
  /** Sends a signal, and returns the exit code. */
  end: (signal: NodeJS.Signals) => Promise<unknown>;
}>;
type Listed = Readonly<{ id: string; state: string; actions: readonly string[] }>;
type Preview = Readonly<{ digest: string; lines: readonly string[]; problems: readonly string[] }> &
  Readonly<{ has_conflicts: boolean; unknown: readonly object[]; questions: readonly string[] }> &
  Readonly<{ command: string; blocked: boolean }>;
type Document = Preview & Readonly<{ run: string; preview: Preview; error: string }>;

/** Starts `cli ui`, with flags, for the runs of a project. */
export async function startPage<Own extends Pick<Project, 'cwd'>>(
  t: TestContext,
  own: Own,
  env: NodeJS.ProcessEnv = {},
  flags: readonly string[] = [],
): Promise<Own & Started> {
  const [file, ...first] = COMMAND;
  const inherited = { ...process.env, CLI_NO_JOURNAL: undefined, NODE_EXTRA_CA_CERTS: undefined };
  const server = spawn(file, [...first, 'ui', ...flags], {
    cwd: own.cwd,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => server.kill('SIGKILL'));
  let printed = '';
  server.stderr.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  await until(
    () => printed.includes('\n'),
    () => `the page has not started: ${printed}`,
  );
  const [, port = '', key = ''] = /127\.0\.0\.1:(\d+)\/#k=([0-9a-f]{64})\n/.exec(printed) ?? [];
  const request = (line: string, body = ''): Promise<PageAnswer> =>
    ask({ port: Number(port), key }, line, { 'Content-Type': 'application/json' }, body);
  return {
    ...own,
    post: async (id, action, body) => {
      const answer = await request(`POST /api/runs/${id}/${action}`, JSON.stringify(body));
      return [answer.status, JSON.parse(answer.body)];
    },
    runs: async () => JSON.parse((await request('GET /api/runs')).body).runs,
    get: async (path) => (await request(`GET ${path}`)).body,
    address: `http://127.0.0.1:${port}/#k=${key}`,
    kill: () => void server.kill('SIGKILL'),
    end: async (signal) => {
      server.kill(signal);
      return (await once(server, 'exit'))[0];
    },
  };
}

/** Waits until the newest run has a state. */
export async function untilState({ runs }: Started, state: string): Promise<Listed> {
  let newest: Listed | undefined;
  await until(
    async () => {
      [newest] = await runs();
      return newest?.state === state;
    },
    () => `the newest run is ${newest?.state}`,
  );
  assert.ok(newest !== undefined);
  return newest;
}
