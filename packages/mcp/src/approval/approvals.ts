import { randomUUID } from 'node:crypto';
import type { Form } from './form.ts';

/** How long a question can be answered, in milliseconds. */
export const LIFETIME = 600_000;

/** The number of questions that can be open. A further one makes the oldest one void. */
const MAX_OPEN = 100;

/** The subject of an approval: the call of a tool, and the binding of the shown text. */
export type Asked = Readonly<{ call: string; binding: string; form: Form }>;

/** Questions that have been asked in states that travel through the host. Each is good for one answer. */
export class Approvals {
  readonly #now: () => number;
  readonly #open = new Map<string, Asked & Readonly<{ until: number }>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes a question. Returns its name, which is to be signed. */
  open(asked: Asked): string {
    const now = this.#now();
    for (const [name, { until }] of this.#open) if (until < now || this.#open.size >= MAX_OPEN) this.#open.delete(name);
    const name = randomUUID();
    this.#open.set(name, { ...asked, until: now + LIFETIME });
    return name;
  }

  /** The question of a state, for the first to present it with the same call in time; undefined otherwise. */
  redeem(name: string, call: string): Asked | undefined {
    const found = this.#open.get(name);
    this.#open.delete(name);
    return found !== undefined && found.until >= this.#now() && found.call === call ? found : undefined;
  }
}
