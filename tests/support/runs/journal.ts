import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Trust } from '../../../src/records/journal/directory/entries.ts';
import type { Holder } from '../../../src/records/journal/holder/holder.ts';
import type { SessionHeader, SessionRecord } from '../../../src/records/journal/record.ts';
import type { Fingerprint } from '../../../src/ir/steps/identity.ts';

export const RUN = '20261122-002546-gk7px';

/** A machine, and a process on it. */
export const HERE: Holder = { pid: 4711, started: '99', boot: 'boot', space: 'pid:[1]', host: 'host', uid: 1000 };

/** The header of a session. */
export function header(more: Partial<SessionHeader> = {}): SessionHeader {
  const run = { run: RUN, session: 1, workflow: 'ci', file: '/w/.cli/workflow.json', cwd: '/w', params: [], args: 0 };
  const rest = { from: null, until: null, marker: 'CLI_RUN_1_2', at: '2026-11-22T00:25:46.500Z' };
  return { kind: 'session', version: 1, tool: '0.1.0', ...run, ...rest, ...HERE, ...more };
}

export function print(command: string): Fingerprint {
  return { command, dir: null, outputs: [], vars: [] };
}

/** The start of a command of a step. */
export function start(n: number, name: string, more: object = {}): SessionRecord & { kind: 'start' } {
  const id = [`name:${name}`];
  const at = '2026-11-22T00:25:47.000Z';
  return { kind: 'start', n, op: n - 1, id, name, what: 'step', attempt: 1, print: print(`do ${name}`), at, ...more };
}

/** The end of a command. */
export function end(n: number, exit = 0, more: object = {}): SessionRecord & { kind: 'end' } {
  return { kind: 'end', n, exit, failed: exit !== 0, ms: 5, ...more };
}

export function finish(more: object = {}): SessionRecord & { kind: 'finish' } {
  return { kind: 'finish', success: true, whole: true, interrupted: null, at: '2026-11-22T00:26:00.000Z', ...more };
}

/** Records as the lines of a file. */
export function lines(...records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** All records count as the user's. */
export const TRUSTED: Trust = { entries: undefined, all: true };

/** Writes the file of a session with any content. */
export function writeSession(runs: string, run: string, name: string, content: string | Uint8Array): void {
  mkdirSync(join(runs, run), { recursive: true });
  writeFileSync(join(runs, run, name), content);
}

/** Writes the first session of a run as if this user had recorded it on this machine. */
export function writeOwnRun(runs: string, run: string, head: Partial<SessionHeader>, ...rest: SessionRecord[]): void {
  const key = '0123456789abcdef'.repeat(2);
  const added = join(process.env['XDG_STATE_HOME'] ?? '', 'workflow-plan/runs');
  mkdirSync(added, { recursive: true });
  symlinkSync(key, join(added, run));
  writeSession(runs, run, 'session-1.ndjson', lines(header({ ...head, run, key }), ...rest));
}

/** The contents of all files below a directory. */
export function contents(directory: string): Record<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  return Object.fromEntries(paths.map((path) => [path.slice(directory.length + 1), readFileSync(path, 'utf8')]));
}

/** Creates an empty file. */
export function touch(path: string): void {
  closeSync(openSync(path, 'w'));
}
