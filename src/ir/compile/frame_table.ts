import type { Owner } from '../../frontend/diagnostics/diagnostic.ts';
import type { FileScope, SourceText, Step, Variables, Workflow } from '../../frontend/ast.ts';
import type { Directory, Frame, LookupText, ScopedVariable, VariableLookup } from '../plan.ts';
import type { Combination } from './matrix.ts';
import type { OutputResolver } from '../resolve_outputs.ts';

/** A call by a step, and the frame in which its `with` looks variables up. */
type FramedCall = Readonly<{ step: Step; owner: Required<Owner>; combination: Combination | null; scope: number }>;

/** Adds the frames of a plan, each after its parent, and resolves the references in their values. */
export class FrameTable {
  readonly frames: Frame[] = [];
  readonly #outputs: OutputResolver;
  /** Flattened copies of a scope without references to outputs share their variables. */
  readonly #shared = new Map<Variables, readonly ScopedVariable[]>();

  constructor(outputs: OutputResolver) {
    this.#outputs = outputs;
  }

  /** Adds a frame and returns its index. Its values look variables up in the frame `lookup`. */
  add(source: string, parent: number | null, variables: Variables, owner: Owner, lookup = parent): number {
    const vars = this.#shared.get(variables) ?? this.#resolve(variables, owner);
    const isElsewhere = lookup !== null && lookup !== parent && refersToVariables(variables);
    return this.frames.push({ source, parent, vars, ...(isElsewhere && { lookup }) }) - 1;
  }

  #resolve(variables: Variables, owner: Owner, isShared = true): readonly ScopedVariable[] {
    let mayBeShared = isShared;
    const vars = [...variables].map(([name, value]): ScopedVariable => {
      const reads = this.#outputs.resolve(value, owner, `with.${name}`);
      if (value.references.length > 0) mayBeShared = false;
      if (value.variables !== undefined) return [name, value.text, reads, lookupsOf(value)];
      return reads.length === 0 ? [name, value.text] : [name, value.text, reads];
    });
    if (mayBeShared) this.#shared.set(variables, vars);
    return vars;
  }

  /** Adds a frame unless it would be empty. Returns the frame to use. */
  addInner(source: string, parent: number, variables: Variables, owner: Owner, lookup = parent): number {
    return variables.size === 0 ? parent : this.add(source, parent, variables, owner, lookup);
  }

  /** Adds a frame for the `with` of a step, unless it is empty. `scope` is the scope of the step. */
  addWith({ with: variables }: Step, owner: Required<Owner>, parent: number, scope = parent): number {
    if (variables.size === 0) return parent;
    return this.add(`with of ${owner.workflow} step ${owner.step}`, parent, variables, owner, scope);
  }

  /** Adds a frame for the combination of a copy of a step. Returns `parent` for a step without a matrix. */
  addMatrix(
    { owner, combination }: Readonly<{ owner: Required<Owner>; combination: Combination | null }>,
    parent: number,
  ): number {
    if (combination === null) return parent;
    const source = `matrix of ${owner.workflow} step ${owner.step}`;
    const vars = this.#resolve(combination.variables, owner, false);
    return this.frames.push({ source, parent, vars, matrix: true }) - 1;
  }

  /**
   * Adds the frames of included files, each inside the previous one: for a call by a step, whose `with` looks variables
   * up in the frame `scope`, or for the requested workflow.
   */
  addFiles(scopes: readonly FileScope[], around: number, owner: Owner, call?: FramedCall): number {
    let frame = around;
    for (const { name, env, dotenv } of scopes) {
      const outer = this.addDotenv(`file ${name}`, dotenv, frame);
      const lookup = call !== undefined && refersToVariables(env) ? this.#addCall(call, outer) : outer;
      frame = this.addInner(`env of file ${name}`, outer, env, owner, lookup);
    }
    return frame;
  }

  /** Adds the matrix and the `with` of a call inside a frame. */
  #addCall({ step, scope, ...site }: FramedCall, parent: number): number {
    const frame = this.addWith(step, site.owner, this.addMatrix(site, parent), scope);
    return frame;
  }

  /** Adds a frame for the inputs of a workflow, if it declares any. */
  addInputs(workflow: string, { inputs }: Workflow, parent: number | null): number | undefined {
    return inputs === null
      ? undefined
      : this.frames.push({ source: `inputs of ${workflow}`, parent, vars: [], inputs }) - 1;
  }

  /** Adds a frame for the dotenv files of a workflow or a file, if any. Returns the frame to use. */
  addDotenv<Parent extends number | null>(
    source: string,
    paths: readonly SourceText[],
    parent: Parent,
  ): number | Parent {
    if (paths.length === 0) return parent;
    const dotenv = paths.map((each) => {
      const { text: path, lookups } = lookupTextOf(each);
      return { path, vars: [], ...(lookups && { lookups }) };
    });
    return this.frames.push({ source: `dotenv of ${source}`, parent, vars: [], dotenv }) - 1;
  }
}

/** Whether any value refers to a variable. */
export function refersToVariables(variables: Variables): boolean {
  for (const value of variables.values()) if (value.variables !== undefined) return true;
  return false;
}

/** A directory whose path looks variables up in a frame. */
export function directoryOf(path: SourceText, frame: number): Directory {
  const lookups = lookupsOf(path);
  return { dir: path.text, ...(lookups.length > 0 && { dirLookup: { frame, lookups } }) };
}

/** A text with its references to variables. */
export function lookupTextOf(source: SourceText): LookupText {
  const lookups = lookupsOf(source);
  return lookups.length === 0 ? { text: source.text } : { text: source.text, lookups };
}

/** The references to variables in a text. */
export function lookupsOf({ variables = [], range }: SourceText): readonly VariableLookup[] {
  return variables.map((each) => ({ ...each, offset: range.start }));
}
