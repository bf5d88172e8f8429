/* A process that looks every 5 milliseconds at the arguments and environments of all processes of some sessions. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Watched } from './process_watch.ts';
import { MARK } from './random_canaries.ts';

/** The field of the session in /proc/<pid>/stat, after the name of the command. */
const SESSION = 3;

/** The number of looks, after the first, that have to show a leak. */
const LOOKS = 3;

/** A session: the command line of its first process, and the secrets in its environment. */
type Session = Readonly<{ command: string; given: ReadonlySet<string> }>;

class Sampler {
  /** Processes with a secret that they did not ask for. */
  readonly leaks = new Set<string>();
  samples = 0;
  looks = 0;
  /** By the process id of the first process. */
  readonly #sessions = new Map<number, Session>();
  #others = new Set<string>();

  add({ pid, command, given }: Watched): void {
    // For a moment after the start, /proc has no command line yet.
    this.#sessions.set(pid, { command: command.map((word) => `${word}\0`).join(''), given: new Set(given) });
    // A sample may have found the process before this message.
    this.#others.clear();
  }

  sample(): void {
    this.samples += 1;
    const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    this.#others = new Set(found.filter((name) => this.#others.has(name)));
    const living = new Set<number>();
    for (const pid of found) {
      if (this.#others.has(pid)) continue;
      const stat = read(pid, 'stat');
      const id = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[SESSION]);
      const session = this.#sessions.get(id);
      living.add(id);
      if (session === undefined) this.#others.add(pid);
      else this.#look(pid, session);
    }
    // Its number may be that of another session later.
    for (const id of this.#sessions.keys()) if (!living.has(id)) this.#sessions.delete(id);
  }

  /** A process that starts another program between two reads shows parts of both. A leak is the same at each look. */
  #look(pid: string, session: Session): void {
    this.looks += 1;
    let found = this.#leaksOf(pid, session);
    for (let again = 0; again < LOOKS && found.length > 0; again += 1) {
      const now = new Set(this.#leaksOf(pid, session));
      found = found.filter((leak) => now.has(leak));
    }
    for (const leak of found) this.leaks.add(leak);
  }

  #leaksOf(pid: string, { command, given }: Session): readonly string[] {
    const environ = read(pid, 'environ') ?? '';
    const line = read(pid, 'cmdline') ?? '';
    const shown = line.replaceAll('\0', ' ');
    const leaks = line.includes(MARK) ? [`argument: ${shown}`] : [];
    if (!environ.includes(MARK)) return leaks;
    const asked = `${/#asks(,[^']*,)/.exec(line)?.[1] ?? ''}${/(?:^|\0)ASKS=([^\0]*)/.exec(environ)?.[1] ?? ''}`;
    for (const entry of environ.split('\0')) {
      // The rest of a variable whose beginning a read has missed, while the kernel made the environment. The next sample has all.
      if (!entry.includes('=')) continue;
      const name = entry.slice(0, entry.indexOf('='));
      if (!entry.includes(MARK) || asked.includes(`,${/^S\d$/.test(name) ? name : 'outputs'},`)) continue;
      // The first process, and its copies before their program begins.
      if (!(given.has(name) && (line === command || line.endsWith('-p\0--\0x.sh\0')))) {
        leaks.push(`environment: ${name} of ${shown}`);
      }
    }
    return leaks;
  }
}

function read(pid: string, file: string): string | undefined {
  try {
    return readFileSync(join('/proc', pid, file), 'utf8');
  } catch {
    // The process has ended.
    return undefined;
  }
}

const sampler = new Sampler();
const timer = setInterval(() => sampler.sample(), 5);
process.on('message', (message: Watched | 'end') => {
  if (message !== 'end') return sampler.add(message);
  clearInterval(timer);
  const { leaks, samples, looks } = sampler;
  process.send?.({ leaks: [...leaks], samples, looks });
});
process.once('disconnect', () => process.exit());
