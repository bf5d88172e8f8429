import { environmentOf, scopesOf, type Scope, type Setting } from '../ir/environment.ts';
import { callProblems, describeInputProblem } from '../ir/inputs.ts';
import { outputVariables, rewriteReferences } from '../ir/output_variables.ts';
import {
  at,
  type Call,
  type ConditionOp,
  type Frame,
  type HookOp,
  type OutputRead,
  type Plan,
  type RunOp,
  type Variable,
} from '../ir/plan.ts';
import type { CommandRequest } from './command_runner.ts';

const NO_OPTIONS = { outputs: [], timeout: null } as const;
const NO_REFERENCES: ReadonlyMap<string, string> = new Map();

/** A request without the number of the command. */
export type ResolvedCommand = Omit<CommandRequest, 'number'>;

/** Creates the requests for a plan's commands, with the outputs of earlier steps. */
export class Requests {
  readonly #plan: Plan;
  readonly #scopeOf: (frame: number) => Scope;
  readonly #base: ReadonlyMap<string, string>;
  /** The outputs of steps, by op index. */
  readonly #outputs = new Map<number, ReadonlyMap<string, string>>();
  /** The last environment: most neighbouring ops share a frame. */
  #last: { readonly frame: number; readonly variables: ReadonlyMap<string, string> };

  /** `base` is the environment below the plan's variables. */
  constructor(plan: Plan, base: ReadonlyMap<string, string>) {
    this.#plan = plan;
    this.#scopeOf = scopesOf(plan, (read) => this.#valueOf(read) ?? '');
    this.#base = base;
    this.#last = { frame: -1, variables: base };
  }

  /** Stores the outputs of a step. */
  addOutputs(op: number, values: readonly Variable[]): void {
    this.#outputs.set(op, new Map(values));
  }

  /** The setting of a variable in a frame by the file or the parameters, not by the environment below them. */
  settingOf(frame: number, name: string): Setting | undefined {
    return this.#scopeOf(frame).settings.get(name);
  }

  /** Whether a variable has no value and cannot get one from the output of a later step. */
  isUnset(frame: number, name: string): boolean {
    for (let index: number | null = frame; index !== null;) {
      const { parent, vars }: Frame = at(this.#plan.frames, index);
      if (vars.some(([own, , reads = []]) => own === name && reads.some((read) => !this.hasValue(read)))) return false;
      index = parent;
    }
    return (this.environment(frame).get(name) ?? '') === '';
  }

  /** The reason why a call cannot start: an input without a valid value. Undefined if it can. */
  inputProblem(call: Call): string | undefined {
    if (call.inputs === undefined) return undefined;
    const [problem] = callProblems(this.#plan, call, this.#scopeOf(call.frame), Object.fromEntries(this.#base));
    return problem && describeInputProblem(problem);
  }

  /** The environment of a frame. */
  environment(frame: number): ReadonlyMap<string, string> {
    if (this.#last.frame === frame) return this.#last.variables;
    this.#last = { frame, variables: environmentOf(this.#scopeOf(frame), this.#base) };
    return this.#last.variables;
  }

  ofStep({ command, errexit, reads, frame, dir, options }: RunOp): ResolvedCommand {
    const { outputs, timeout } = options;
    return {
      ...this.#resolve(command, reads, frame),
      errexit: errexit === true,
      outputs,
      timeout,
      input: 'inherit',
      dir,
    };
  }

  ofCondition({ frame, dir }: ConditionOp, command: string, reads: readonly OutputRead[]): ResolvedCommand {
    return { ...this.#resolve(command, reads, frame), errexit: false, ...NO_OPTIONS, input: 'none', dir };
  }

  ofHook({ command, errexit, reads, frame, dir = null }: HookOp): ResolvedCommand {
    return {
      ...this.#resolve(command, reads, frame),
      errexit: errexit === true,
      ...NO_OPTIONS,
      input: 'inherit',
      completes: true,
      dir,
    };
  }

  /** Whether a reference has a value: an output of its step, or a fallback. */
  hasValue(read: OutputRead): boolean {
    return this.#valueOf(read) !== undefined;
  }

  /** Undefined for a reference without an output and without a fallback. */
  #valueOf({ from, output, fallback }: OutputRead): string | undefined {
    const given = from === null ? undefined : this.#outputs.get(from)?.get(output);
    return given ?? fallback ?? undefined;
  }

  /** A command with variables in place of its references, and the environment with these variables. */
  #resolve(
    text: string,
    reads: readonly OutputRead[],
    frame: number,
  ): Pick<ResolvedCommand, 'command' | 'environment' | 'references'> {
    if (reads.length === 0) return { command: text, environment: this.environment(frame), references: NO_REFERENCES };
    const { all, nameOf } = outputVariables(reads);
    // Only in a hook can a reference have no value here. It becomes empty.
    const values = all.map(({ name, read }): Variable => [name, this.#valueOf(read) ?? '']);
    const references = new Map(all.map(({ name, read: { start, end } }) => [name, text.slice(start, end)]));
    const environment = new Map([...this.environment(frame), ...values]);
    return { command: rewriteReferences(text, reads, nameOf), environment, references };
  }
}
