import { at, type Call, type Frame, type Op, type OutputRead, type StaleTest } from '../../ir/plan.ts';
import type { CheckParts } from './check_port.ts';
import { codeOf, readsOf } from '../../ir/ops.ts';

/** Texts that are the same for calls of a workflow which the same values reach. */
export class CallKeys {
  readonly #parts: CheckParts;
  /** The words in the commands of workflows, and the variables to which their values refer. */
  readonly #words = new Map<string, ReadonlySet<string>>();

  constructor(parts: CheckParts) {
    this.#parts = parts;
  }

  of(call: Call): string {
    const { plan, requests } = this.#parts;
    const words = this.#words.get(call.workflow) ?? this.#wordsIn(call);
    this.#words.set(call.workflow, words);
    const environment = requests.environment(call.frame);
    const names = [...new Set([...words, ...this.#given(call)])].filter((name) => environment.has(name)).toSorted();
    const values = names.map((name) => [name, environment.get(name)]);
    const others: unknown[] = [];
    const isOutside = ({ from }: OutputRead): boolean => from !== null && (from < call.start || from >= call.end);
    const frames = new Set<number>();
    for (const op of plan.ops.slice(call.start, call.end)) {
      const reads = [...readsOf(op), ...this.#readsOfFrames(op.frame, call.frame, frames)];
      for (const read of reads) if (isOutside(read)) others.push(requests.valueOf(read) ?? null);
      others.push('dir' in op ? op.dir : null, ...(staleTestOf(op)?.sources.map(({ text }) => text) ?? []));
    }
    return JSON.stringify([call.workflow, values, others]);
  }

  /** The references in the frames inside of a call's frame, each frame once. */
  #readsOfFrames(inner: number, outer: number, seen: Set<number>): readonly OutputRead[] {
    const found: OutputRead[] = [];
    for (let index: number | null = inner; index !== null && index > outer && !seen.has(index);) {
      seen.add(index);
      const { vars, parent }: Frame = at(this.#parts.plan.frames, index);
      for (const [, , reads = []] of vars) found.push(...reads);
      index = parent;
    }
    return found;
  }

  /** The variables of the call's own `with` and matrix. */
  #given({ from, frame }: Call): readonly string[] {
    const { calls, frames } = this.#parts.plan;
    if (from === null) return [];
    const end = ` of ${at(calls, from.call).workflow} step ${from.step}`;
    const names: string[] = [];
    for (let index: number | null = frame; index !== null && index !== at(calls, from.call).frame;) {
      const { source, vars, parent }: Frame = at(frames, index);
      if (source === `with${end}` || source === `matrix${end}`) for (const [name] of vars) names.push(name);
      index = parent;
    }
    return names;
  }

  #wordsIn({ start, end, frame: outer, inputs: own }: Call): ReadonlySet<string> {
    const { plan } = this.#parts;
    const words = new Set<string>();
    const seen = new Set<number>([outer]);
    const addFrame = (frame: number): void => {
      for (let index: number | null = frame; index !== null && index > outer && !seen.has(index);) {
        seen.add(index);
        const { vars, inputs = [], parent }: Frame = at(plan.frames, index);
        for (const [, , , lookups = []] of vars) for (const { name } of lookups) words.add(name);
        for (const { name } of inputs) words.add(name);
        index = parent;
      }
    };
    for (const op of plan.ops.slice(start, end)) {
      for (const word of codeOf(op).match(/[A-Za-z_]\w*/g) ?? []) words.add(word);
      addFrame(op.kind === 'run' ? (op.ready ?? op.frame) : op.frame);
    }
    const declared = own === undefined ? [] : (at(plan.frames, own).inputs ?? []);
    for (const { name } of declared) words.add(name);
    return words;
  }
}

function staleTestOf(op: Op): StaleTest | undefined {
  return op.kind === 'condition' && op.test.kind === 'stale' ? op.test : undefined;
}
