import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { COMMAND_LINE, workflowDirectory } from '../cli.ts';
import { terminal } from './terminal.ts';

/** The unwrapped lines of a run in a terminal of a number of columns (0: unknown width), with `<time>` for every time. */
export async function screenOfRun(
  t: TestContext,
  file: object,
  words: string,
  env: Readonly<Record<string, string | undefined>> = {},
  columns = 0,
): Promise<{ lines: string[]; document: unknown }> {
  const cwd = workflowDirectory(t, file);
  const command = `stty cols ${columns}; ${COMMAND_LINE} workflow run ${words} >out.json; echo "ended with $?"`;
  const screen = terminal(t, cwd, 'bash', ['-c', command], { TERM: 'xterm-256color', TAG: undefined, ...env });
  const text = await screen.shows('ended with ');
  await screen.ended;
  const document: unknown = JSON.parse(readFileSync(join(cwd, 'out.json'), 'utf8'));
  return { lines: linesOf(text.slice(0, text.lastIndexOf('ended with'))), document };
}

/** The last line of a failed run at a terminal, since runs of the tests are not recorded. */
export function again(words: string): string {
  return `cli: the run was not recorded; to run all of it again: cli workflow run ${words}`;
}

/** The screen of any command in a terminal of a number of columns, and how the command ended. */
export async function screenOf(
  t: TestContext,
  cwd: string,
  columns: number,
  words: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const command = `stty cols ${columns}; ${COMMAND_LINE} ${words}; echo "ended with $?"`;
  const screen = terminal(t, cwd, 'bash', ['-c', command], { TERM: 'xterm', ...env });
  await screen.ended;
  return linesOf(await screen.shows('ended with '));
}

const [ESCAPE, BELL] = ['\u001B', '\u0007'];

/** The title of a terminal, or another control sequence. */
const CONTROL = new RegExp(`${ESCAPE}(?:\\][^${BELL}]*${BELL}|\\[[\\d;?]*[A-Za-z])`, 'g');

/** The text on a screen without colours and titles. The terminal of the tests returns bytes as Latin-1. */
export function screenText(screen: string): string {
  return Buffer.from(screen, 'latin1').toString('utf8').replaceAll(CONTROL, '').replaceAll('\r\n', '\n');
}

export function linesOf(screen: string): string[] {
  return timeless(Buffer.from(screen, 'latin1').toString('utf8')).trimEnd().split(/\r?\n/);
}

export function timeless(text: string): string {
  return text.replace(/\d+ ms|\d+\.\d s/g, '<time>').replace(/\b\d{8}-\d{6}-[0-9a-z]{5}\b/g, '<run>');
}
