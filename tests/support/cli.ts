import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';

/** The repository's root: compiled tests lie in build/tests/support. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const Words = v.tupleWithRest([v.string()], v.string());

/**
 * The tool as it is published: a program and its first arguments. That is the bundle on the Node that
 * runs the tests, or what TESTED_COMMAND names (a JSON array).
 */
export const COMMAND = v.parse(
  Words,
  JSON.parse(process.env['TESTED_COMMAND'] ?? JSON.stringify([process.execPath, join(ROOT, 'dist/cli.cjs')])),
);

/** Whether the tool brings its own runtime, which is not Node. */
export const IS_STANDALONE = COMMAND.length === 1;

/** The tool, or a copy of it, with a program that its runtime loads first. */
export function commandWith(cwd: string, program: string, [runtime, ...args] = COMMAND): string[] {
  const file = join(cwd, 'first.mjs');
  writeFileSync(file, program);
  return IS_STANDALONE ? ['env', `BUN_OPTIONS=--preload ${file}`, runtime] : [runtime, '--import', file, ...args];
}

/** The same for a line of a shell. */
export const COMMAND_LINE = COMMAND.map((word) => `'${word}'`).join(' ');

/** What changes how the tool shows things: whoever starts the tests has no say in that. */
const SURROUNDINGS = ['CI', 'FORCE_COLOR', 'NO_COLOR', 'GITHUB_ACTIONS', 'GITHUB_STEP_SUMMARY', 'GITLAB_CI'];
for (const name of SURROUNDINGS) delete process.env[name];

/** What a finished process left. */
export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly cwd: string;
  /** Added to the environment of the tests; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Uint8Array;
}

/** The lines that say that a step or hook begins, or is skipped. */
const ANNOUNCEMENT = /^cli: (?:step '.*' of workflow '.*'|hook '\w+'|skipped step .*)\n/gm;

/** The lines that help after a failure: they stand below it, and further in. */
const HELP = /^cli: {3}.*\n/gm;

/** What was said but for the lines that announce steps and hooks. */
export function withoutAnnouncements(said: string): string {
  return said.replace(ANNOUNCEMENT, '');
}

/** The same without the lines that help after a failure. */
export function withoutHelp(said: string): string {
  return withoutAnnouncements(said).replace(HELP, '');
}

/** Warnings of a file, with the lines that they show of it. */
const WARNING = /^\S+:\d+:\d+: warning: .*\n(?: +(?:\d+ )?\| .*\n)*/gm;

/** What was said but for what is odd about the file. */
export function withoutWarnings(said: string): string {
  return said.replace(WARNING, '');
}

/**
 * Runs the tool as a process of its own, to its end. Leaves out of `stderr` what announces the steps and what
 * helps after a failure: most tests are about something else, and would bury it in those lines.
 */
export async function cli(args: readonly string[], surroundings: Surroundings): Promise<Finished> {
  const finished = await cliWithAnnouncements(args, surroundings);
  return { ...finished, stderr: withoutHelp(finished.stderr) };
}

/** Runs the tool as a process of its own, to its end, and keeps all it said. */
export function cliWithAnnouncements(args: readonly string[], surroundings: Surroundings): Promise<Finished> {
  const [file, ...first] = COMMAND;
  return finish(file, [...first, ...args], surroundings);
}

/** Runs any program to its end. */
export async function finish(
  file: string,
  args: readonly string[],
  { cwd, env, input = '' }: Surroundings,
): Promise<Finished> {
  // Node reads the extra certificates of this machine at every start, which only costs time.
  const child = spawn(file, args, { cwd, env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined, ...env } });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const ended = new Promise<Pick<Finished, 'code' | 'signal'>>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const [stdout, stderr, end] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { ...end, stdout, stderr };
}

/** An empty folder that is gone after the test, with files in it: texts, bytes, or data written as JSON. */
export function folder(t: TestContext, files: Readonly<Record<string, unknown>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'cli-test-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    const raw = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(file, raw ? content : JSON.stringify(content));
  }
  return path;
}

/** A folder that holds a workflow file where the tool looks for it. */
export function workflowFolder(t: TestContext, file: unknown): string {
  return folder(t, { '.cli/workflow.json': file });
}
