import type { Form } from './form.ts';

/** A question that the host brings back with its answer, in another request. `state` is the name of the question. */
export type Question = Readonly<{ kind: 'question'; form: Form; state: string }>;

/** The person at a host. Answers are not checked. */
export type Person = Readonly<{
  /** Whether the host shows forms. */
  canAsk: boolean;
  /** Shows a form now. Absent if the host brings answers in further requests. */
  ask?: (form: Form) => Promise<unknown>;
  /** The answer that this request brings, and the name of its question. */
  round?: Readonly<{ state: string; answer: unknown }>;
}>;

/** The call of a tool by a host. `onEnded` is called after each command that has ended, with their number. */
export type Call = Readonly<{ person: Person; signal: AbortSignal; onEnded: (count: number) => void }>;
