import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { paramWord } from '../base/param_word.ts';
import type { ResultDocument, RunEvent, RunOptions, RunResult } from './types.ts';

/** The descriptor of the events. */
const EVENTS = 3;

/** The program, beside the bundle of the library. */
function programPath(): string {
  return fileURLToPath(new URL('cli.cjs', import.meta.url));
}

/** Runs a workflow in a process of its own. Fails if the process cannot be started, or if a given function throws. */
export async function runInProcess(options: RunOptions): Promise<RunResult> {
  const { workflow, params = {}, file, cwd, env = process.env, signal, stderr = 'inherit', onEvent } = options;
  if (signal?.aborted === true) return { exitCode: null, signal: 'SIGINT', document: null };
  const words = Object.entries(params).map(paramWord);
  const flags = [
    ...(file === undefined ? [] : [`--file=${file}`]),
    ...(onEvent === undefined ? [] : [`--events=fd:${EVENTS}`]),
  ];
  const child = spawn(process.execPath, [programPath(), 'workflow', 'run', ...flags, '--', workflow, ...words], {
    cwd,
    env,
    stdio: [
      'ignore',
      'pipe',
      typeof stderr === 'function' ? 'pipe' : stderr,
      onEvent === undefined ? 'ignore' : 'pipe',
    ],
  });
  const interrupt = (): void => {
    child.kill('SIGINT');
  };
  signal?.addEventListener('abort', interrupt, { once: true });
  const end = new Promise<Pick<RunResult, 'exitCode' | 'signal'>>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, by) => resolve({ exitCode, signal: by }));
  });
  const [, stdout, errors, events] = child.stdio;
  const reading = [
    ...(typeof stderr === 'function' ? [forEachText(errors, stderr)] : []),
    ...(onEvent === undefined ? [] : [forEachLine(events, (line) => onEvent(parseEvent(line)))]),
  ];
  try {
    const [document, ended] = await Promise.all([stdout instanceof Readable ? text(stdout) : '', end, ...reading]);
    return { ...ended, document: parseDocument(document) };
  } catch (error) {
    interrupt();
    throw error;
  } finally {
    signal?.removeEventListener('abort', interrupt);
  }
}

async function forEachText(stream: unknown, use: (text: string) => void): Promise<void> {
  if (!(stream instanceof Readable)) return;
  stream.setEncoding('utf8');
  for await (const chunk of stream) use(String(chunk));
}

async function forEachLine(stream: unknown, use: (line: string) => void): Promise<void> {
  if (!(stream instanceof Readable)) return;
  for await (const line of createInterface({ input: stream })) use(line);
}

function parseEvent(line: string): RunEvent {
  const event: RunEvent = JSON.parse(line);
  return event;
}

/** The document that a run has printed; null if it has printed none. */
function parseDocument(printed: string): ResultDocument | null {
  if (printed === '') return null;
  const document: ResultDocument = JSON.parse(printed);
  return document;
}
