import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { AGENTS } from '../../src/cli/reporters/output/output_mode.ts';
import { STATE_HOME } from './environment.ts';

/** Whether the tests run from their sources, which Node.js 24 can, and not from build/. */
const IS_SOURCE = import.meta.url.endsWith('.ts');

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL(IS_SOURCE ? '../..' : '../../..', import.meta.url));

const Words = v.tupleWithRest([v.string()], v.string());

/**
 * The tool, as a program and its first arguments: the bundle, or the sources for tests that run from theirs, on the
 * Node.js that runs the tests, or the JSON array in TESTED_COMMAND.
 */
export const COMMAND = v.parse(
  Words,
  JSON.parse(
    process.env['TESTED_COMMAND'] ??
      JSON.stringify([process.execPath, join(ROOT, IS_SOURCE ? 'src/main.ts' : 'dist/cli.cjs')]),
  ),
);

/** Whether the tested tool is the standalone executable, whose runtime is Bun. */
export const IS_STANDALONE = COMMAND.length === 1;

/** The command of cli, or a variant of it, with a program that its runtime loads first. */
export function commandWith(cwd: string, program: string, [runtime, ...args] = COMMAND): string[] {
  const file = join(cwd, 'first.mjs');
  writeFileSync(file, program);
  return IS_STANDALONE ? ['env', `BUN_OPTIONS=--preload ${file}`, runtime] : [runtime, '--import', file, ...args];
}

/** `COMMAND` for a shell. */
export const COMMAND_LINE = COMMAND.map((word) => `'${word}'`).join(' ');

/** Variables that change the output of cli, and are therefore removed from the environment of the tests. */
const OUTPUT_VARIABLES = [
  'CI',
  'CLI_OUTPUT_MODE',
  'FORCE_COLOR',
  'NO_COLOR',
  'GITHUB_ACTIONS',
  'GITHUB_STEP_SUMMARY',
  'GITLAB_CI',
  ...AGENTS,
];
for (const name of OUTPUT_VARIABLES) delete process.env[name];
process.env['XDG_STATE_HOME'] = STATE_HOME;
// Recorded runs only where a test unsets this.
process.env['CLI_NO_JOURNAL'] = '1';
// Stored output of recorded runs likewise.
process.env['CLI_LOGS'] = '0';

/** The exit and the output of a process. */
export interface CommandResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd: string;
  /** Added to the environment of the tests; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Uint8Array;
}

/** A time at the end of a plain line. */
const TIME = /, (?:\d+ ms|\d+\.\d s|\d+ min \d+ s|\d+ h \d+ min|<time>)$/;

/** Lines that announce a step or hook, a success or a skipped step, and the summary, without their times. */
const ANNOUNCEMENT =
  /^cli: (?:(?:step '.*' of workflow '.*'|hook '\w+'(?: of workflow '.*')?)(?: succeeded(?: in \d+ attempts)?)?|skipped step .*|workflow '.*' (?:succeeded|failed): \d+ steps? ran.*)$/;

/** An indented line of details below a failure. */
const HELP = /^cli: {3}/;

/** Maps the plain lines of cli in a text; undefined removes a line. */
function mapPlainLines(stderr: string, change: (line: string) => string | undefined): string {
  if (!stderr.includes('cli: ')) return stderr;
  return stderr
    .split('\n')
    .flatMap((line) => (line.startsWith('cli: ') ? (change(line) ?? []) : line))
    .join('\n');
}

/** Standard error without announcements, and without the times of failures. */
export function withoutAnnouncements(stderr: string): string {
  return mapPlainLines(stderr, (line) => {
    const timeless = line.replace(TIME, '');
    return ANNOUNCEMENT.test(timeless) ? undefined : timeless;
  });
}

/** Standard error without announcements and the details of failures. */
export function withoutHelp(stderr: string): string {
  return mapPlainLines(withoutAnnouncements(stderr), (line) => (HELP.test(line) ? undefined : line));
}

/** Standard error without the line that only a run of ten seconds or more has, which depends on the load. */
export function withoutLongestChain(stderr: string): string {
  return stderr.replaceAll(/^cli: longest chain: .*\n/gmu, '');
}

/** Standard error with `<time>` for the times of plain lines. */
export function withoutTimes(stderr: string): string {
  return mapPlainLines(stderr, (line) => line.replace(TIME, ', <time>'));
}

/** Warnings about a file, with the quoted lines. */
const WARNING = /^\S+:\d+:\d+: warning: .*\n(?: +(?:\d+ )?\| .*\n)*/gm;

/** Standard error without warnings about the file. */
export function withoutWarnings(stderr: string): string {
  return stderr.replace(WARNING, '');
}

/**
 * Runs cli as a process, to its end. Announcements and the details of failures are removed from `stderr`, because most
 * tests do not depend on them.
 */
export async function cli(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const finished = await cliWithAnnouncements(args, options);
  return { ...finished, stderr: withoutHelp(finished.stderr) };
}

/** Runs cli as a process, to its end, with all of standard error. Times of plain lines are `<time>`. */
export async function cliWithAnnouncements(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const [file, ...first] = COMMAND;
  const finished = await finish(file, [...first, ...args], options);
  return { ...finished, stderr: withoutTimes(finished.stderr) };
}

/** Runs any program to its end. */
export async function finish(
  file: string,
  args: readonly string[],
  { cwd, env, input = '' }: CommandOptions,
): Promise<CommandResult> {
  // Node.js reads the extra certificates at every start, which takes time.
  const child = spawn(file, args, { cwd, env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined, ...env } });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const ended = new Promise<Pick<CommandResult, 'code' | 'signal'>>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const [stdout, stderr, end] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { ...end, stdout, stderr };
}

/** The part of a test that removes what it has created. */
export type Cleaner = Readonly<{ after: (work: () => void) => void }>;

/** A temporary directory for a test, with files: texts, bytes, or data written as JSON. */
export function temporaryDirectory(t: Cleaner, files: Readonly<Record<string, unknown>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'cli-test-'));
  // A process that ends may still write a file.
  t.after(() => rmSync(path, { recursive: true, force: true, maxRetries: 10 }));
  for (const [name, content] of Object.entries(files)) {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    const raw = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(file, raw ? content : JSON.stringify(content));
  }
  return path;
}

/** A temporary directory with a workflow file in the default place. */
export function workflowDirectory(t: TestContext, file: unknown): string {
  return temporaryDirectory(t, { '.cli/workflow.json': file });
}
