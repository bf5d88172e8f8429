import type { SpawnOptions } from 'node:child_process';

/** A process that Bun started. `exited` is its exit code, 128 + n after signal n. */
type BunProcess = Readonly<{ pid: number; exited: Promise<number> }>;

declare global {
  namespace NodeJS {
    interface Process {
      /** A function of old releases of Node.js. Bun has it for packages that use it. */
      binding?: (name: 'tty_wrap') => Readonly<{ isTTY?: (descriptor: number) => boolean }>;
    }
  }
  /** The runtime of the standalone executable. */
  var Bun:
    | Readonly<{
        /** Can read named pipes, which sockets of Bun cannot. */
        file: (descriptor: number) => { stream: () => ReadableStream<Uint8Array> };
        /** Starts a process without copying the page tables of this one, unlike `node:child_process`. */
        spawn: (words: readonly string[], options: Pick<SpawnOptions, 'cwd' | 'env' | 'stdio'>) => BunProcess;
      }>
    | undefined;
}
