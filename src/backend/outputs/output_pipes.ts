import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, readSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { delay } from '../system/sleep.ts';
import { makeTemporaryDirectory } from '../system/temporary_directory.ts';
import { systemMessage, trySystemCall } from '../system/try_system_call.ts';
import { writeAt } from '../system/write.ts';
import { openNamedPipe, PipeReader, READ_BUFFER } from './named_pipe.ts';

/** A pipe for the output of one command. */
export type OutputPipe = Readonly<{
  /** The end that the command writes to. */
  descriptor: number;
  /** Must be awaited after the command has ended. Settles once everything that it printed has been received. */
  drained: () => Promise<void>;
}>;

/**
 * Creates a named pipe ($1), and keeps it open in a process that is no child of this tool. Descriptor 3 is closed by the
 * end of the tool. Then that process passes on what is still written to the pipe, so that processes which the tool has left
 * neither stop nor get SIGPIPE. If the tool was killed, the output is appended to a log too, whose path is the first line of
 * the file with descriptor 4.
 */
const KEEPER = `umask 077; mkfifo -m 600 "$1" || exit 1
exec 6<&4 4<>"$1" 5<"$1" 4>&-
{
  trap '' HUP INT QUIT TERM PIPE
  read -r end <&3
  IFS= read -r log <&6
  exec 3<&- 6<&-
  rm -f "$1"; rmdir "\${1%/*}" 2>/dev/null
  if [ "$log" ]; then exec tee -a "$log" <&5; else exec cat <&5; fi
} </dev/null >&2 2>/dev/null &
echo $!`;

/** The maximum number of reads at the end of a command: no pipe holds more. */
const READS = 32;

/** The ends of a pipe in use. This process has no `writing` end while only processes that a command has left write. */
type OpenPipe = { reading: number; writing: number | undefined; reader?: PipeReader; onData: (chunk: Buffer) => void };

/**
 * A named pipe, and the process that keeps it until `link` is closed. `log` is the file for the path of the current log.
 * The ends stay open from one command to the next, because opening and polling them takes the most time.
 */
type KeptPipe = Readonly<{ path: string; keeper: number; link: Socket; log: number }> & { open?: OpenPipe };

/** Starts the keeper of a pipe. Returns a text if that fails. `stderr` is where it passes output on. */
function keepPipe(path: string, stderr: number): Promise<KeptPipe | string> {
  return new Promise((resolve) => {
    const log = trySystemCall(() => openSync(`${path}.log`, 'wx+', 0o600));
    if (typeof log === 'string') return resolve(log);
    rmSync(`${path}.log`);
    const child = spawn('/bin/sh', ['-c', KEEPER, 'sh', path], { stdio: ['ignore', 'pipe', stderr, 'pipe', log] });
    const link = child.stdio[3];
    let printed = '';
    child.once('error', (error) => resolve(systemMessage(error)));
    child.stdout?.on('data', (data) => (printed += String(data)));
    child.stdout?.once('close', () => {
      const keeper = Number(printed);
      if (keeper === 0 || !(link instanceof Socket)) return resolve('mkfifo failed');
      link.on('error', () => undefined).unref();
      return resolve({ path, keeper, link, log });
    });
  });
}

/**
 * Pipes for the output of commands. Node gives its children sockets, in which `echo text >/dev/stderr` fails, so these
 * are named pipes, in a directory that exists during the run. A pipe is reused once it has no more writers.
 */
export class OutputPipes {
  readonly #directory: string;
  readonly #stderr: number;
  readonly #idle: KeptPipe[] = [];
  readonly #busy = new Set<KeptPipe>();
  /** The pids of the keepers, which belong to no command. */
  readonly keepers = new Set<number>();
  /** The first part of the paths of logs, to which output is appended if this process is killed. */
  logs: string | undefined;
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

  /** Opens a pipe whose data is passed to `onData`, for a command with a log. Returns undefined if that fails. */
  open(onData: (chunk: Buffer) => void, log: string): OutputPipe | undefined {
    const pipe = this.#idle.pop();
    const open = pipe && trySystemCall(() => (pipe.open ??= this.#openEnds(pipe)));
    // A step has deleted the pipe.
    if (pipe === undefined || open === undefined || typeof open === 'string' || open.writing === undefined)
      return undefined;
    this.#busy.add(pipe);
    open.onData = onData;
    if (this.logs?.includes('\n') === false) writeAt(pipe.log, Buffer.from(`${this.logs}${log}\n`), 0);
    return {
      descriptor: open.writing,
      drained: async () => {
        if (globalThis.Bun === undefined) return this.#drain(pipe, open);
        // Bun passes on in a later turn what it has read, and reads in turns of its own up to the end of the pipe.
        this.#endWriting(open);
        await delay(0).then(() => delay(0));
      },
    };
  }

  /** Whether the next command has no pipe yet: others are running, or have left processes. */
  get isFull(): boolean {
    return this.#idle.length === 0;
  }

  /** Must be awaited before the next command if it has no pipe yet. */
  async makeRoom(): Promise<void> {
    if (this.isFull) await this.#make();
  }

  /** Stops receiving the output of leftover processes, which their pipes' keepers pass on, and removes the directory. */
  close(): void {
    for (const { keeper } of this.#idle) trySystemCall(() => process.kill(keeper, 'SIGKILL'));
    for (const { log } of this.#busy) writeAt(log, Buffer.from('\n'), 0);
    for (const { link, log, open } of [...this.#idle, ...this.#busy]) {
      link.end();
      closeSync(log);
      if (open === undefined) continue;
      open.reader?.close();
      this.#endWriting(open);
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #openEnds(pipe: KeptPipe): OpenPipe {
    const open: OpenPipe = { ...openNamedPipe(pipe.path), onData: () => undefined };
    open.reader = new PipeReader(open.reading, {
      onData: (chunk) => open.onData(chunk),
      onClose: () => {
        delete pipe.open;
        if (this.#busy.delete(pipe)) this.#idle.push(pipe);
      },
    });
    return open;
  }

  /** Reads what a command has left in its pipe, which can be used again if it has no other writers. */
  #drain(pipe: KeptPipe, open: OpenPipe): void {
    this.#endWriting(open);
    for (let count = 0; count < READS; count += 1) {
      const read = trySystemCall(() => readSync(open.reading, READ_BUFFER));
      if (typeof read === 'string') return;
      if (read === 0) return this.#reopen(pipe, open);
      open.onData(READ_BUFFER.subarray(0, read));
    }
  }

  #endWriting(open: OpenPipe): void {
    if (open.writing !== undefined) closeSync(open.writing);
    open.writing = undefined;
  }

  /** Before the next poll, which would see the end of the pipe. */
  #reopen(pipe: KeptPipe, open: OpenPipe): void {
    const writing = trySystemCall(() => openSync(pipe.path, constants.O_WRONLY));
    if (typeof writing === 'string') return open.reader?.close();
    open.writing = writing;
    this.#busy.delete(pipe);
    this.#idle.push(pipe);
  }

  async #make(): Promise<string | undefined> {
    this.#count += 1;
    const made = await keepPipe(join(this.#directory, String(this.#count)), this.#stderr);
    if (typeof made === 'string') return made;
    this.#idle.push(made);
    this.keepers.add(made.keeper);
    return undefined;
  }
}
