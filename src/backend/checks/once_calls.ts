import { codeOf, onceCheckOf, readsOf } from '../../ir/ops.ts';
import { at, framesFrom, type Call, type Op, type OutputRead, type StaleTest } from '../../ir/plan.ts';
import { LONGEST_WAIT, type CommandRunner } from '../command_runner.ts';
import type { KnownOp } from '../run_journal.ts';
import { HOLDS, SKIPS, type CheckParts, type ConditionResult } from './check_port.ts';

/** Texts that are the same for calls of a workflow which the same values reach. */
function createKeys({ plan, requests }: CheckParts): (call: Call) => string {
  /** The words in the commands of workflows, and the variables to which their values refer. */
  const known = new Map<string, ReadonlySet<string>>();

  /** The references in the frames inside of a call's frame, each frame once. */
  function readsOfFrames(inner: number, outer: number, seen: Set<number>): readonly OutputRead[] {
    const found: OutputRead[] = [];
    for (const [index, { vars }] of framesFrom(plan, inner)) {
      if (index <= outer || seen.has(index)) break;
      seen.add(index);
      for (const [, , reads = []] of vars) found.push(...reads);
    }
    return found;
  }

  /** The variables of the call's own `with` and matrix. */
  function given({ from, frame }: Call): readonly string[] {
    if (from === null) return [];
    const caller = at(plan.calls, from.call);
    const end = ` of ${caller.workflow} step ${from.step}`;
    const own = [...framesFrom(plan, frame, caller.frame)].filter(([, { source }]) => {
      return source === `with${end}` || source === `matrix${end}`;
    });
    return own.flatMap(([, { vars }]) => vars.map(([name]) => name));
  }

  function wordsIn({ start, end, frame: outer, inputs: own }: Call): ReadonlySet<string> {
    const words = new Set<string>();
    const seen = new Set<number>([outer]);
    const addFrame = (frame: number): void => {
      for (const [index, { vars, inputs = [] }] of framesFrom(plan, frame)) {
        if (index <= outer || seen.has(index)) break;
        seen.add(index);
        for (const [, , , lookups = []] of vars) for (const { name } of lookups) words.add(name);
        for (const { name } of inputs) words.add(name);
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

  return (call) => {
    const words = known.get(call.workflow) ?? wordsIn(call);
    known.set(call.workflow, words);
    const environment = requests.environment(call.frame);
    const names = [...new Set([...words, ...given(call)])].filter((name) => environment.has(name)).toSorted();
    const values = names.map((name) => [name, environment.get(name)]);
    const others: unknown[] = [];
    const isOutside = ({ from }: OutputRead): boolean => from !== null && (from < call.start || from >= call.end);
    const frames = new Set<number>();
    for (const op of plan.ops.slice(call.start, call.end)) {
      const reads = [...readsOf(op), ...readsOfFrames(op.frame, call.frame, frames)];
      for (const read of reads) if (isOutside(read)) others.push(requests.valueOf(read) ?? null);
      others.push('dir' in op ? op.dir : null, ...(staleTestOf(op)?.sources.map(({ text }) => text) ?? []));
    }
    return JSON.stringify([call.workflow, values, others]);
  };
}

function staleTestOf(op: Op): StaleTest | undefined {
  return op.kind === 'condition' && op.test.kind === 'stale' ? op.test : undefined;
}

/**
 * The first of some equal calls. `call` is undefined until it is reached, and `succeeded` until it has ended. `done`
 * settles when it has.
 */
type FirstCall = {
  call: Call | undefined;
  succeeded: boolean | undefined;
  readonly done: Promise<void>;
  readonly settle: () => void;
};

/** The calls of workflows that run once: of equal ones, the first that is reached runs. */
export class OnceCalls {
  readonly #parts: CheckParts;
  readonly #keyOf: (call: Call) => string;
  readonly #firsts = new Map<string, FirstCall>();
  /** The calls by the index of their check. */
  readonly #calls = new Map<number, Call>();
  /** For each check that a replay decides, whether the run has reached it. */
  readonly #replayed = new Map<number, Readonly<{ reached: Promise<void>; reach: () => void }>>();

  constructor(parts: CheckParts) {
    this.#parts = parts;
    this.#keyOf = createKeys(parts);
    for (const call of parts.plan.calls) {
      const check = onceCheckOf(parts.plan, call);
      if (check !== undefined) this.#calls.set(check, call);
    }
    if (this.#calls.size > 0) this.#addKnown();
  }

  /** Adds the calls of which all steps are kept, and the recorded decisions of a replay. */
  #addKnown(): void {
    const { plan, journal, requests } = this.#parts;
    const kept = [...this.#calls].filter(([index, call]) => {
      const known = journal.known(index);
      if (known?.kind !== 'decided' || !known.holds) return false;
      if (known.isReplayed === true) this.#replayed.set(index, deferred());
      return known.isReplayed !== true && this.#isKept(call);
    });
    if (kept.length === 0) return;
    for (const index of plan.ops.keys()) {
      const known = journal.known(index);
      if (known?.kind === 'finished') requests.addEnd(index, known.result.exit);
    }
    for (const [, call] of kept) {
      const first = this.#firstOf(call);
      if (first.call === undefined) this.#begin(first, call)(true);
    }
  }

  #isKept({ start, end }: Call): boolean {
    const { plan, journal } = this.#parts;
    let isAny = false;
    for (let index = start; index < end; index += 1) {
      if (at(plan.ops, index).kind !== 'run') continue;
      const kind = journal.known(index)?.kind;
      if (kind !== 'finished' && kind !== 'left out') return false;
      isAny ||= kind === 'finished';
    }
    return isAny;
  }

  async test(index: number, runner: CommandRunner): Promise<ConditionResult> {
    const { missing, requests } = this.#parts;
    const call = this.#callAt(index);
    // The call is refused as soon as it begins.
    if (missing.ofCall(call) !== undefined || requests.inputProblem(call) !== undefined) return HOLDS;
    // In a simulation, the branches of a group take turns.
    await runner.wait(0);
    await this.#replayedCallsOf(call);
    const first = this.#firstOf(call);
    if (first.call === undefined) return { ...HOLDS, ended: this.#begin(first, call) };
    if (first.succeeded === undefined) await Promise.race([first.done, runner.wait(LONGEST_WAIT)]);
    if (first.succeeded === undefined) return HOLDS;
    if (!first.succeeded)
      return { ...SKIPS, failed: true, refusal: `workflow '${call.workflow}' has failed in this run` };
    this.#copyOutputs(first.call, call);
    return SKIPS;
  }

  async recall(index: number, known: KnownOp & { kind: 'decided' }): Promise<ConditionResult['ended']> {
    const call = this.#callAt(index);
    const isReplayed = known.isReplayed === true;
    if (known.holds) {
      const first = isReplayed ? this.#firstOf(call) : undefined;
      this.#replayed.get(index)?.reach();
      return first?.call === undefined && first !== undefined ? this.#begin(first, call) : undefined;
    }
    const first = this.#firstOf(call);
    // The first call ended before, and ends again.
    if (isReplayed) await first.done;
    if (first.call !== undefined && first.succeeded === true) this.#copyOutputs(first.call, call);
    return undefined;
  }

  /** Waits until the run has reached the calls of the same workflow that began in the recorded part of a replay. */
  async #replayedCallsOf({ workflow }: Call): Promise<void> {
    for (const [index, { reached }] of this.#replayed) if (this.#callAt(index).workflow === workflow) await reached;
  }

  #callAt(index: number): Call {
    const call = this.#calls.get(index);
    if (call === undefined) throw new Error('a check of no call');
    return call;
  }

  #firstOf(call: Call): FirstCall {
    const key = this.#keyOf(call);
    const { reached: done, reach: settle } = deferred();
    const first = this.#firsts.get(key) ?? { call: undefined, succeeded: undefined, done, settle };
    this.#firsts.set(key, first);
    return first;
  }

  #begin(first: FirstCall, call: Call): (succeeded: boolean) => void {
    first.call = call;
    return (succeeded) => {
      first.succeeded = succeeded;
      first.settle();
    };
  }

  /** Gives the steps of a skipped call the outputs and exit codes of the first one, whose ops are the same. */
  #copyOutputs(first: Call, call: Call): void {
    const { requests } = this.#parts;
    for (let offset = 0; first.start + offset < first.end; offset += 1) {
      requests.copyEnd(first.start + offset, call.start + offset);
    }
  }
}

/** A promise, and the function that settles it. */
export function deferred(): Readonly<{ reached: Promise<void>; reach: () => void }> {
  const settled: { reach?: () => void } = {};
  const reached = new Promise<void>((resolve) => {
    settled.reach = resolve;
  });
  return { reached, reach: () => settled.reach?.() };
}
