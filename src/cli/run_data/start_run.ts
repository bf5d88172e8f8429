import { spawn, type ChildProcess } from 'node:child_process';
import { Writable } from 'node:stream';
import type { SessionHeader } from '../../records/journal/record.ts';
import type { Journal } from '../../records/journal/journal.ts';
import { delay } from '../../backend/system/sleep.ts';
import type { Io } from '../output/io.ts';
import { failure, type Result } from '../../base/result.ts';
import { startRequest, type PlannedRun } from './planned_run.ts';
import type { StartMessage } from './start_message.ts';

/** The pause between two looks for the record of a run that starts, in milliseconds. */
const LOOK = 20;

/** The size of the messages of a run that does not start, in bytes. */
const MAX_MESSAGES = 65_536;

/** How a planned run starts. `program` is this tool. */
export type StartSettings = Readonly<{
  program: readonly [string, ...string[]];
  key: Buffer;
  agent?: SessionHeader['agent'];
}>;

/**
 * A run that has been started. `begun` settles once its session is recorded, or fails with what the process printed if
 * it ends before. `hasBegun`: whether it is recorded by now. `interrupt` is Ctrl-C.
 */
export type StartedRun = Readonly<{ run: string; begun: Promise<Result<string>> }> &
  Readonly<{ hasBegun: () => boolean; interrupt: () => void }>;

/**
 * Starts a planned run in a session of its own, with an empty standard input, in the current directory. It outlives this
 * process, and runs nothing if its plan is not the planned one.
 */
export function startRun(
  io: Pick<Io, 'env'>,
  journal: Journal,
  planned: PlannedRun,
  { program, key, agent }: StartSettings,
): StartedRun {
  const [file, ...first] = program;
  // Only the messages of a run that does not start are read.
  const request = { ...startRequest(planned), quiet: true };
  const child = spawn(file, [...first, 'workflow', 'process', '--', request.command], {
    env: io.env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const { run, digest } = planned;
  const message: StartMessage = {
    run,
    key: key.toString('hex'),
    digest,
    request,
    ...(agent !== undefined && { agent }),
  };
  const pipe = child.stdio[3];
  if (!(pipe instanceof Writable)) throw new Error('no pipe to the process of the run');
  // A process that ends at once does not read it.
  pipe.on('error', () => undefined);
  pipe.end(JSON.stringify(message));
  // Another process may begin the same session.
  const hasBegun = (): boolean => {
    const recorded = journal.read(run)?.sessions.find(({ header }) => header.session === planned.session);
    return recorded?.header.pid === child.pid;
  };
  return { run, begun: waitForSession(child, run, hasBegun), hasBegun, interrupt: () => void child.kill('SIGINT') };
}

async function waitForSession(child: ChildProcess, run: string, hasBegun: () => boolean): Promise<Result<string>> {
  const messages: Buffer[] = [];
  let size = 0;
  child.stderr?.on('data', (bytes: Buffer) => {
    if (size < MAX_MESSAGES) messages.push(bytes);
    size += bytes.length;
  });
  const end = { isReached: false, error: '' };
  child.once('error', ({ message }) => Object.assign(end, { isReached: true, error: message }));
  child.once('close', () => (end.isReached = true));
  while (!end.isReached && !hasBegun()) await delay(LOOK);
  const isOver = end.isReached;
  child.stderr?.destroy();
  child.unref();
  if (!isOver || hasBegun()) return { ok: true, value: run };
  const text = end.error || Buffer.concat(messages).toString().trimEnd();
  return failure(...text.split('\n').map((line) => line.replace(/^cli: /, '')));
}
