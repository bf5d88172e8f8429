import { EXIT_CODE } from '../base/exit_code.ts';
import type { Of, Owner } from '../frontend/diagnostics/diagnostic.ts';
import type { SourceText, WorkflowFile } from '../frontend/ast.ts';
import type { Output } from '../frontend/schema/option_fields.ts';
import type { Op, OutputRead } from './plan.ts';
import { withMembers } from '../base/with_members.ts';

/** A reference without an earlier step that has the output. `steps` contains the names of all steps of the plan. */
export type UnresolvedReference = Omit<Of<'unresolved reference'>, 'severity' | 'code' | 'run' | 'isCalled'>;

/** An op of the plan that is a step, and its index. */
export type Producer = Readonly<{ index: number; outputs: readonly Output[]; mayFail: boolean }>;

/**
 * The kind of command that refers to an output. A hook may ask for the exit code of any step. One of the file serves all
 * workflows, so a reference to a step that only others have is no error there, and has no value.
 */
type Reader = 'step' | 'hook' | 'file hook';

/** The steps defined in a branch of a group, and the names of all steps of the group. */
type BranchScope = Readonly<{ defined: Map<string, Producer>; siblings: ReadonlySet<string> }>;

const NO_READS: readonly OutputRead[] = [];

/** Resolves references to outputs while a plan is built: each to the closest earlier step with the name. */
export class OutputResolver {
  readonly #file: WorkflowFile;
  readonly #producers = new Map<string, Producer>();
  /** The branches of open groups, outermost first. The outputs of a branch are visible outside after its group. */
  readonly #branches: BranchScope[] = [];
  /** The names of all steps so far. */
  readonly #known = new Map<string, null>();
  /** Flattened copies of a step share their outputs, and so the set of names. */
  readonly #names = new Map<readonly Output[], ReadonlySet<string>>();
  /** Keyed by range and text: a workflow that is called twice has the same unresolved reference twice. */
  readonly #unresolved = new Map<string, UnresolvedReference>();
  #declared: ReadonlySet<string> | undefined;

  readonly #ops: readonly Op[];
  /** The number of ops already added to the producers. */
  #seen = 0;

  /** `ops` are the plan's ops so far. */
  constructor(file: WorkflowFile, ops: readonly Op[]) {
    this.#file = file;
    this.#ops = ops;
  }

  get unresolved(): readonly UnresolvedReference[] {
    if (this.#unresolved.size > 0) this.#addProducers();
    return [...this.#unresolved.values()];
  }

  /** Makes the outputs of the steps so far available. Called on demand, because most plans have no references. */
  #addProducers(): void {
    for (const op of this.#ops.slice(this.#seen)) {
      if (op.kind === 'run') {
        const { outputs, allowFailure: mayFail } = op.options;
        this.#define(op.name, { index: this.#seen, outputs, mayFail });
      }
      this.#seen += 1;
    }
  }

  /**
   * Begins a branch of a group that has steps with the names `siblings`. Steps of the branch are hidden from the
   * others.
   */
  enterBranch(siblings: ReadonlySet<string>): void {
    this.#addProducers();
    this.#branches.push({ defined: new Map(), siblings });
  }

  /** Ends a branch. Returns its outputs, which `defineAll` makes visible after the group. */
  leaveBranch(): ReadonlyMap<string, Producer> {
    this.#addProducers();
    return this.#branches.pop()?.defined ?? new Map();
  }

  /** Makes the steps of a branch visible after its group. */
  defineAll(steps: ReadonlyMap<string, Producer>): void {
    for (const [step, producer] of steps) this.#define(step, producer);
  }

  #define(step: string, producer: Producer): void {
    this.#known.set(step, null);
    (this.#branches.at(-1)?.defined ?? this.#producers).set(step, producer);
  }

  #find(step: string): Producer | undefined {
    const branch = this.#branches.findLast(({ defined }) => defined.has(step));
    return (branch?.defined ?? this.#producers).get(step);
  }

  /** Resolves the references of a text. `owner` and `field` are its position, for diagnostics. */
  resolve(
    { text, range: ownRange, references }: SourceText,
    owner: Owner,
    field: string,
    reader: Reader = 'step',
  ): readonly OutputRead[] {
    if (references.length === 0) return NO_READS;
    this.#addProducers();
    return references.flatMap(({ step, key, fallback, start, end, quotes, range = ownRange }) => {
      const producer = this.#find(step);
      const outputs = producer && this.#namesOf(producer.outputs);
      const read = { start, end, quotes, step, output: key, fallback };
      const isKnown = outputs?.has(key) === true || (key === EXIT_CODE && (reader !== 'step' || producer?.mayFail));
      if (producer !== undefined && isKnown === true) return { ...read, from: producer.index };
      const isOptional = reader === 'file hook' || (fallback !== null && producer === undefined);
      if (isOptional && this.#isDeclared(step, key, reader)) return { ...read, from: null };
      const reference = text.slice(start, end);
      const isSibling = producer === undefined && this.#branches.some(({ siblings }) => siblings.has(step));
      const detail = { field, reference, step, key, steps: this.#known, outputs, isSibling };
      this.#unresolved.set(`${range.start} ${reference}`, { owner, range, ...detail });
      return [];
    });
  }

  /** Whether any step of the file declares an output, or has an exit code for a reader. */
  #isDeclared(step: string, key: string, reader: Reader): boolean {
    this.#declared ??= declaredOutputs(this.#file);
    const bases = [...step.matchAll(/ \(/g)].map(({ index }) => step.slice(0, index + 2));
    const keys = key === EXIT_CODE && reader !== 'step' ? [key, ANY_EXIT_CODE] : [key];
    return [step, ...bases].some((name) => keys.some((each) => this.#declared?.has(outputId(name, each)) === true));
  }

  #namesOf(outputs: readonly Output[]): ReadonlySet<string> {
    const names = this.#names.get(outputs) ?? new Set(outputs.map(([name]) => name));
    this.#names.set(outputs, names);
    return names;
  }
}

/** The exit code of a step whose failure ends the run: only hooks may refer to it. Not the name of an output. */
const ANY_EXIT_CODE = 'exit code';

function declaredOutputs({ workflows }: WorkflowFile): ReadonlySet<string> {
  const declared = new Set<string>();
  for (const { steps } of workflows.values()) {
    for (const step of withMembers(steps)) {
      if (step.kind !== 'run') continue;
      // A step with a matrix may have many copies, so they share one entry.
      const name = step.matrix === null ? step.name : `${step.name} (`;
      for (const [key] of step.options.outputs) declared.add(outputId(name, key));
      declared.add(outputId(name, step.options.allowFailure ? EXIT_CODE : ANY_EXIT_CODE));
    }
  }
  return declared;
}

/** A key is a variable name, so the last dot is the separator. */
function outputId(step: string, key: string): string {
  return `${step}.${key}`;
}
