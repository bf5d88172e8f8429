import { spawn } from 'node:child_process';
import { closeSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { delay, turn } from '../system/sleep.ts';
import { makeTemporaryDirectory } from '../system/temporary_directory.ts';
import { systemMessage, trySystemCall } from '../system/try_system_call.ts';
import { openNamedPipe, PipeReader } from './named_pipe.ts';

/** A pipe for the output of one command. */
export type OutputPipe = Readonly<{
  /** The end that the command writes to. */
  descriptor: number;
  /** Closes this process's copy of that end. Must be called once the command has been started. */
  started: () => void;
  /** Must be awaited after the command has ended. Settles once everything that it printed has been received. */
  drained: () => Promise<void>;
}>;

/**
 * Creates a named pipe ($1), and keeps it open in a process that is no child of this tool. Once the tool has ended, that
 * process passes on what is still written to the pipe, so that processes which the tool has left neither stop nor get
 * SIGPIPE. If the tool was killed, the output is appended to the log too. The lines from the tool: the first part of the
 * paths of logs, the second part of the path of the current log, and at the end of the run an empty line.
 */
const KEEPER = `umask 077; mkfifo -m 600 "$1" || exit 1
exec 4<>"$1" 5<"$1" 4>&-
{
  trap '' HUP INT QUIT TERM PIPE
  while IFS= read -r line <&3; do case $line in /*) start=$line log= ;; *) log=\${line:+$start$line} ;; esac; done
  exec 3<&-
  rm -f "$1"; rmdir "\${1%/*}" 2>/dev/null
  if [ "$log" ]; then exec tee -a "$log" <&5; else exec cat <&5; fi
} </dev/null >&2 2>/dev/null &
echo $!`;

/** A named pipe, the process that keeps it, and a stream of lines for it. */
type KeptPipe = Readonly<{ path: string; keeper: number; lines: Socket }>;

/** Starts the keeper of a pipe. Returns a text if that fails. `stderr` is where it passes output on. */
function keepPipe(path: string, stderr: number): Promise<KeptPipe | string> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', KEEPER, 'sh', path], { stdio: ['ignore', 'pipe', stderr, 'pipe'] });
    const lines = child.stdio[3];
    let printed = '';
    child.once('error', (error) => resolve(systemMessage(error)));
    child.stdout?.on('data', (data) => (printed += String(data)));
    child.stdout?.once('close', () => {
      const keeper = Number(printed);
      if (keeper === 0 || !(lines instanceof Socket)) return resolve('mkfifo failed');
      lines.on('error', () => undefined).unref();
      return resolve({ path, keeper, lines });
    });
  });
}

/** A turn of the event loop. Bun reads streams in turns of their own. */
const pause = (): Promise<void> => (globalThis.Bun === undefined ? turn() : delay(0));

/**
 * Pipes for the output of commands. Node gives its children sockets, in which `echo text >/dev/stderr` fails, so these
 * are named pipes, in a directory that exists during the run. A pipe is reused once it has no more writers.
 */
export class OutputPipes {
  readonly #directory: string;
  readonly #stderr: number;
  readonly #idle: KeptPipe[] = [];
  readonly #busy = new Map<PipeReader, KeptPipe>();
  /** The pids of the keepers, which belong to no command. */
  readonly keepers = new Set<number>();
  #logs: string | undefined;
  #count = 0;

  private constructor(directory: string, stderr: number) {
    this.#directory = directory;
    this.#stderr = stderr;
  }

  /** Returns a text if no pipe can be created. */
  static async create(stderr: number): Promise<OutputPipes | string> {
    const directory = trySystemCall(() => ({ path: makeTemporaryDirectory('cli-output-') }));
    if (typeof directory === 'string') return directory;
    const pipes = new OutputPipes(directory.path, stderr);
    const problem = await pipes.#make();
    if (problem !== undefined) pipes.close();
    return problem ?? pipes;
  }

  /** The first part of the paths of logs, to which output is appended if this process is killed. */
  set logs(start: string) {
    if (start.includes('\n')) return;
    this.#logs = start;
    for (const { lines } of this.#idle) lines.write(`${start}\n`);
  }

  /** Opens a pipe whose data is passed to `onData`, for a command with a log. Returns undefined if that fails. */
  open(onData: (chunk: Buffer) => void, log: string): OutputPipe | undefined {
    const pipe = this.#idle.pop();
    if (pipe === undefined) return undefined;
    const ends = trySystemCall(() => openNamedPipe(pipe.path));
    // A step has deleted the pipe.
    if (typeof ends === 'string') return undefined;
    if (this.#logs !== undefined) pipe.lines.write(`${log}\n`);
    const reader = new PipeReader(ends.reading, {
      onData,
      onClose: () => {
        this.#busy.delete(reader);
        this.#idle.push(pipe);
      },
    });
    this.#busy.set(reader, pipe);
    return {
      descriptor: ends.writing,
      started: () => closeSync(ends.writing),
      // Two turns of the event loop include a whole poll, which reads everything in the pipe.
      drained: async () => {
        await pause();
        await pause();
      },
    };
  }

  /** Whether the next command has no pipe yet: others are running, or have left processes. */
  get isFull(): boolean {
    return this.#idle.length === 0;
  }

  async makeRoom(): Promise<void> {
    if (this.isFull) await this.#make();
  }

  /** Stops receiving the output of leftover processes, which their pipes' keepers pass on, and removes the directory. */
  close(): void {
    for (const { keeper } of this.#idle) trySystemCall(() => process.kill(keeper, 'SIGKILL'));
    for (const [reader, { lines }] of this.#busy) {
      lines.end('\n');
      reader.close();
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #make(): Promise<string | undefined> {
    this.#count += 1;
    const made = await keepPipe(join(this.#directory, String(this.#count)), this.#stderr);
    if (typeof made === 'string') return made;
    if (this.#logs !== undefined) made.lines.write(`${this.#logs}\n`);
    this.#idle.push(made);
    this.keepers.add(made.keeper);
    return undefined;
  }
}
