import { environmentOf, scopesOf, type Scope, type Setting } from '../ir/environment.ts';
import { withNegationCheck, isExitCode } from '../ir/ops.ts';
import { callProblems, describeInputProblem } from '../ir/inputs.ts';
import { outputVariables, rewriteReferences, splice } from '../ir/output_variables.ts';
import { MASK, secretOutputs } from '../ir/secret_names.ts';
import { at, framesFrom } from '../ir/plan.ts';
import type { Call, ConditionOp, HookOp, OutputRead, Plan, RunOp, Variable } from '../ir/plan.ts';
import { exitCode, type CommandRequest, type Exit, type OutputValue } from './command_runner.ts';
import type { SessionSecrets } from './secrets/session_secrets.ts';

const NO_OPTIONS = { outputs: [], timeout: null } as const;
const NO_REFERENCES: ReadonlyMap<string, string> = new Map();

/** A request without the number of the command. */
export type ResolvedCommand = Omit<CommandRequest, 'number'>;

/** Creates the requests for a plan's commands, with the outputs of earlier steps. */
export class Requests {
  readonly #plan: Plan;
  readonly #scopeOf: (frame: number) => Scope;
  readonly #secrets: SessionSecrets | undefined;
  /** The environment below the plan's variables, without the secrets of the plan. */
  readonly base: ReadonlyMap<string, string>;
  /** The outputs of steps, by op index. */
  readonly #outputs = new Map<number, ReadonlyMap<string, string | null>>();
  /** The exit codes of steps, by op index. */
  readonly #exitCodes = new Map<number, number>();
  /** The last environment: most neighbouring ops share a frame. */
  #last: Readonly<{ frame: number; variables: ReadonlyMap<string, string> }>;
  /** The last environments by their secrets. Commands with the same list share it. */
  #withSecrets = new Map<readonly number[], ReadonlyMap<string, string>>();

  /** `base` is the environment below the plan's variables, `secrets` the secrets of the plan, if it has any. */
  constructor(plan: Plan, base: ReadonlyMap<string, string>, secrets?: SessionSecrets) {
    this.#plan = plan;
    this.#scopeOf = scopesOf(plan, (read) => this.valueOf(read) ?? '');
    const names = new Set(plan.secrets?.map(({ name }) => name));
    this.#secrets = secrets;
    this.base = names.size === 0 ? base : new Map([...base].filter(([name]) => !names.has(name)));
    this.#last = { frame: -1, variables: this.base };
  }

  /** Stores the exit code of a step, and its outputs, if it has any. */
  addEnd(op: number, exit: Exit): void {
    this.#exitCodes.set(op, exitCode(exit));
    if (exit.kind === 'exited' && exit.outputs?.ok === true) this.#outputs.set(op, new Map(exit.outputs.values));
  }

  /** Stores the outputs of a step that is up to date. */
  addUpToDate(op: number, values: readonly OutputValue[]): void {
    this.addEnd(op, { kind: 'exited', code: 0, outputs: { ok: true, values } });
  }

  /** Stores the end of one step for another one, too. */
  copyEnd(from: number, to: number): void {
    const [code, outputs] = [this.#exitCodes.get(from), this.#outputs.get(from)];
    if (code !== undefined) this.#exitCodes.set(to, code);
    if (outputs !== undefined) this.#outputs.set(to, outputs);
  }

  /** The variables that the file or a parameter sets or declares in the scope of a frame. */
  declared(frame: number): ReadonlySet<string> {
    const { settings, dotenv, inputs } = this.#scopeOf(frame);
    return new Set([...settings.keys(), ...dotenv.keys(), ...inputs.keys()]);
  }

  /** The setting of a variable in a frame by the file or the parameters, not by the environment below them. */
  settingOf(frame: number, name: string): Setting | undefined {
    return this.#scopeOf(frame).settings.get(name);
  }

  /** The step whose exit code the file gives a variable as its value. */
  exitCodeIn(frame: number, name: string): string | undefined {
    for (const [, { vars }] of framesFrom(this.#plan, frame)) {
      const own = vars.find(([each]) => each === name);
      if (own !== undefined) return own[2]?.find((read) => isExitCode(this.#plan, read))?.step;
    }
    return undefined;
  }

  /** Whether a variable has no value and cannot get one from the output of a later step. */
  isUnset(frame: number, name: string): boolean {
    for (const [, { vars }] of framesFrom(this.#plan, frame)) {
      if (vars.some(([own, , reads = []]) => own === name && reads.some((read) => !this.hasValue(read)))) return false;
    }
    return (this.environment(frame).get(name) ?? '') === '';
  }

  /** The reason why a call cannot start: an input without a valid value. Undefined if it can. */
  inputProblem(call: Call): string | undefined {
    if (call.inputs === undefined) return undefined;
    const [problem] = callProblems(this.#plan, call, this.#scopeOf(call.frame), Object.fromEntries(this.base));
    return problem && this.masked(describeInputProblem(problem));
  }

  /** A text without the values of secrets. */
  masked(text: string): string {
    return this.#secrets?.mask(text) ?? text;
  }

  /** The environment of a frame, with the secrets that a command lists. */
  environment(frame: number, listed?: readonly number[]): ReadonlyMap<string, string> {
    if (this.#last.frame !== frame) {
      this.#last = { frame, variables: environmentOf(this.#scopeOf(frame), this.base) };
      this.#withSecrets = new Map();
    }
    const { variables } = this.#last;
    if (listed === undefined || this.#secrets === undefined) return variables;
    const known = this.#withSecrets.get(listed) ?? new Map([...variables, ...this.#secrets.variables(listed)]);
    this.#withSecrets.set(listed, known);
    return known;
  }

  ofStep({ command, errexit, reads, frame, dir, options, secrets }: RunOp): ResolvedCommand {
    const { outputs, timeout } = options;
    const resolved = this.#resolve(command, reads, frame, secrets);
    return { ...resolved, errexit: errexit === true, outputs, timeout, input: 'inherit', dir };
  }

  ofCondition({ frame, dir }: ConditionOp, command: string, reads: readonly OutputRead[]): ResolvedCommand {
    const { command: written, ...resolved } = this.#resolve(command, reads, frame);
    return { ...resolved, command: withNegationCheck(written), errexit: false, ...NO_OPTIONS, input: 'none', dir };
  }

  /** The command that tests whether a step in the background is ready. */
  ofReadiness({ frame, dir, secrets }: RunOp, command: string, reads: readonly OutputRead[]): ResolvedCommand {
    return { ...this.#resolve(command, reads, frame, secrets), errexit: false, ...NO_OPTIONS, input: 'none', dir };
  }

  ofHook({ command, errexit, reads, frame, dir = null, secrets }: HookOp): ResolvedCommand {
    const resolved = this.#resolve(command, reads, frame, secrets);
    return { ...resolved, errexit: errexit === true, ...NO_OPTIONS, input: 'inherit', completes: true, dir };
  }

  /**
   * The question of a step, with secrets masked. Before a group, references to outputs of its steps, which begin at the
   * op `pending`, stay as written.
   */
  questionOf({ options, question }: RunOp, pending = Infinity): string | null {
    if (question === undefined) return options.confirm;
    const { text, reads } = question;
    const isSecret = secretOutputs(this.#plan);
    const textOf = (read: OutputRead): string => {
      if (read.from !== null && read.from >= pending && this.#given(read) === undefined)
        return text.slice(read.start, read.end);
      const value = this.valueOf(read) ?? '';
      return read.from !== null && isSecret(at(this.#plan.ops, read.from), read.output) ? MASK : value;
    };
    return this.masked(splice(text, reads, textOf));
  }

  /** Whether a reference has a value: an output of its step, or a fallback. */
  hasValue(read: OutputRead): boolean {
    return this.valueOf(read) !== undefined;
  }

  /** Whether a reference is to a secret value that was not recorded. A fallback does not replace it. */
  isUnrecorded(read: OutputRead): boolean {
    return this.#given(read) === null;
  }

  #given(read: OutputRead): string | null | undefined {
    const { from, output } = read;
    if (from === null) return undefined;
    return isExitCode(this.#plan, read) ? this.#exitCodes.get(from)?.toString() : this.#outputs.get(from)?.get(output);
  }

  /** Undefined for a reference without an output and without a fallback. */
  valueOf(read: OutputRead): string | undefined {
    const given = this.#given(read);
    return (given === undefined ? read.fallback : given) ?? undefined;
  }

  /** A command with variables in place of its references, and the environment with these variables. */
  #resolve(
    text: string,
    reads: readonly OutputRead[],
    frame: number,
    secrets?: readonly number[],
  ): Pick<ResolvedCommand, 'command' | 'environment' | 'references'> {
    const variables = this.environment(frame, secrets);
    if (reads.length === 0) return { command: text, environment: variables, references: NO_REFERENCES };
    const { all, nameOf } = outputVariables(reads);
    // Only in a hook can a reference have no value here. It becomes empty.
    const values = all.map(({ name, read }): Variable => [name, this.valueOf(read) ?? '']);
    const references = new Map(all.map(({ name, read: { start, end } }) => [name, text.slice(start, end)]));
    const environment = new Map([...variables, ...values]);
    return { command: rewriteReferences(text, reads, nameOf), environment, references };
  }
}
