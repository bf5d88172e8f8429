import type { Owner, SourceRange } from '../frontend/diagnostics/diagnostic.ts';
import type { Output, SourceText } from '../frontend/ast.ts';
import type { OutputRead } from './plan.ts';

/**
 * A reference without an earlier step that gives the output `key`. `steps` has the names of all steps of the plan;
 * `outputs` are those of the closest earlier step of the name, undefined if there is none.
 */
export type UnresolvedReference = Readonly<{ owner: Owner; range: SourceRange; field: string; reference: string }> & {
  readonly step: string;
  readonly key: string;
  readonly steps: ReadonlyMap<string, unknown>;
  readonly outputs: ReadonlySet<string> | undefined;
};

/** A step that was added to the plan, as the index of its op. */
type Producer = Readonly<{ op: number; outputs: readonly Output[] }>;

const NO_READS: readonly OutputRead[] = [];

/** Resolves references to outputs while a plan is built: each to the closest earlier step of the name. */
export class OutputResolver {
  readonly #producers = new Map<string, Producer>();
  /** Flattened copies of a step share their outputs, and so the set of names. */
  readonly #names = new Map<readonly Output[], ReadonlySet<string>>();
  /** By range and text: a workflow that is called twice has the same unresolved reference twice. */
  readonly #unresolved = new Map<string, UnresolvedReference>();

  get unresolved(): readonly UnresolvedReference[] {
    return [...this.#unresolved.values()];
  }

  /** Makes the outputs of a step available to what follows. */
  define(step: string, op: number, outputs: readonly Output[]): void {
    this.#producers.set(step, { op, outputs });
  }

  /** Resolves the references of a text; `owner` and `field` say where it is, for diagnostics. */
  resolve({ text, range, references }: SourceText, owner: Owner, field: string): readonly OutputRead[] {
    if (references.length === 0) return NO_READS;
    return references.flatMap(({ step, key, start, end, quotes }) => {
      const producer = this.#producers.get(step);
      const outputs = producer && this.#namesOf(producer.outputs);
      if (producer !== undefined && outputs?.has(key) === true) {
        return { start, end, quotes, from: producer.op, output: key };
      }
      const reference = text.slice(start, end);
      const detail = { field, reference, step, key, steps: this.#producers, outputs };
      this.#unresolved.set(`${range.start} ${reference}`, { owner, range, ...detail });
      return [];
    });
  }

  #namesOf(outputs: readonly Output[]): ReadonlySet<string> {
    const names = this.#names.get(outputs) ?? new Set(outputs.map(([name]) => name));
    this.#names.set(outputs, names);
    return names;
  }
}
