import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';

/** A session to look at: its first process, and the names of the secrets in the environment of that process. */
export type Watched = Readonly<{ pid: number; command: readonly string[]; given: readonly string[] }>;

const Seen = v.object({ leaks: v.array(v.string()), samples: v.number(), looks: v.number() });

/** Looks at processes from a process of its own, because calls in this one take long. */
export class ProcessWatch {
  readonly #sampler = fork(fileURLToPath(import.meta.url).replace(/process_watch(\.\w+)$/, 'process_sampler$1'), {
    execArgv: [],
  });

  add(session: Watched): void {
    this.#sampler.send(session);
  }

  /** The processes with a secret that they did not ask for, and the numbers of samples and of looks at a process. */
  async end(): Promise<v.InferOutput<typeof Seen>> {
    this.#sampler.send('end');
    const [seen] = await once(this.#sampler, 'message');
    return v.parse(Seen, seen);
  }

  close(): void {
    this.#sampler.kill();
  }
}
