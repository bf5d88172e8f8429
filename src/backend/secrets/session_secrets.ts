import { isUtf8 } from 'node:buffer';
import { at, runsAfterFailure, type HookOp, type Plan, type PlanSecret, type RunOp } from '../../ir/plan.ts';
import type { SecretProgram, Variable } from '../../ir/plan.ts';
import { failure, type Result } from '../../base/result.ts';
import { withoutEnd } from '../outputs/text_of_output.ts';
import { ValueMask } from '../outputs/value_mask.ts';
import { LONGEST_WAIT, type CommandRunner, type Exit } from '../command_runner.ts';
import type { RunJournal } from '../run_journal.ts';
import { directoryVariable, isInherited } from '../process/base_environment.ts';
import type { ShellRunner } from '../process/shell_runner.ts';
import { ENDLESS, runProvider, SECRET_LIMIT, TOO_LARGE, type ProviderPort } from './run_provider.ts';

/** An attempt at the command of a step or hook. `isStopped` returns whether it must no longer start. */
type ListingCommand = Readonly<{
  op: RunOp | HookOp;
  index: number;
  attempt: number;
  journal: RunJournal;
  runner: CommandRunner;
  isStopped: () => boolean;
}>;

/**
 * The secrets of a session of a run. Lists contain indexes of the plan's secrets. Each is the value of the inherited variable, or what its provider prints. Providers
 * run one at a time, each distinct list of arguments once. They belong to the session, not to the command that waits.
 */
export class SessionSecrets {
  readonly #secrets: readonly PlanSecret[];
  readonly #port: Omit<ProviderPort, 'env' | 'attend'>;
  readonly #env: NodeJS.ProcessEnv = Object.create(null);
  #runner: ShellRunner | undefined;
  readonly #found = new Map<number, Result<string>>();
  readonly #outputs = new Map<string, Result<Buffer>>();
  /** The time limit of each list of arguments: the longest of the secrets that share it. */
  readonly #limits = new Map<string, number>();
  readonly #mask = new ValueMask();
  /** Settles when no provider runs. */
  #idle: Promise<unknown> = Promise.resolve();
  readonly #onValue: ((value: string) => void)[] = [];

  /** `inherited` is the environment of this process. */
  constructor(
    { secrets = [] }: Pick<Plan, 'secrets'>,
    inherited: Readonly<Record<string, string | undefined>>,
    port: Omit<ProviderPort, 'env' | 'attend'>,
  ) {
    this.#secrets = secrets;
    this.#port = port;
    const names = new Set(secrets.map(({ name }) => name));
    for (const [index, { name, source }] of secrets.entries()) {
      const value = inherited[name] ?? '';
      if (value !== '') this.#add(index, value);
      if (source === null) continue;
      const key = keyOf(source);
      this.#limits.set(key, Math.max(source.timeout, this.#limits.get(key) ?? 0));
    }
    const given = { ...inherited, PWD: directoryVariable(inherited['PWD']) };
    for (const [name, value] of Object.entries(given))
      if (!names.has(name) && isInherited(name)) this.#env[name] = value;
  }

  /** The runner that ends providers from now on. */
  use(runner: ShellRunner): void {
    this.#runner = runner;
  }

  /** Calls a function with each value that is known or becomes known, before any command can print it. */
  onValue(listener: (value: string) => void): void {
    this.#onValue.push(listener);
    for (const found of this.#found.values()) if (found.ok) listener(found.value);
  }

  /**
   * Gets the values for an attempt at a command, unless the attempt is replayed: each at most once in the session. Returns
   * the problem with them. The member of a group stops waiting when it is cancelled.
   */
  async prepare(list: readonly number[], command: ListingCommand): Promise<string | undefined> {
    const { op, index, attempt, journal, runner, isStopped } = command;
    const refused = journal.recorded(index, 0);
    if (refused?.kind === 'not started') return refused.reason;
    if (journal.recorded(index, attempt) !== undefined) return undefined;
    let problems = this.problemsOf(list);
    if (problems === undefined) {
      const fetched = this.fetch(list, isStopped);
      if (!runsAfterFailure(op)) await Promise.race([fetched, runner.wait(LONGEST_WAIT)]);
      // In a replay, a wait ends early.
      problems = isStopped() ? [] : await fetched;
      await runner.ready();
    }
    return problems.length === 0 ? undefined : problems.join('; ');
  }

  /** The problems with a list whose values have been sought; undefined if one has not. */
  problemsOf(list: readonly number[]): readonly string[] | undefined {
    const problems: string[] = [];
    for (const index of list) {
      const found = this.#found.get(index);
      if (found === undefined) return undefined;
      if (!found.ok) problems.push(`secret '${at(this.#secrets, index).name}': ${found.problems.join('; ')}`);
    }
    return problems;
  }

  /** Whether a secret has a value, or the problem with it; undefined if it has not been sought. */
  resultOf(index: number): Result<unknown> | undefined {
    return this.#found.get(index);
  }

  /**
   * Gets the values of a list, each at most once in the session. Returns the problems; none if the command that needs the
   * list has been stopped meanwhile, after which no provider starts.
   */
  async fetch(list: readonly number[], isStopped: () => boolean): Promise<readonly string[]> {
    for (const index of list) {
      // A first signal ends the provider of a hook, too, which is then started again.
      while (!this.#found.has(index) && !isStopped()) await this.#inTurn(index, isStopped);
    }
    return this.problemsOf(list) ?? [];
  }

  /** The variables for a list. */
  variables(list: readonly number[]): readonly Variable[] {
    return list.flatMap((index) => {
      const found = this.#found.get(index);
      return found?.ok === true ? [[at(this.#secrets, index).name, found.value] as const] : [];
    });
  }

  /** The end of a command, with the names of the outputs that contain a value. */
  marked(exit: Exit): Exit {
    if (exit.kind !== 'exited' || exit.outputs?.ok !== true) return exit;
    const secret = exit.outputs.values.flatMap(([name, value]) =>
      value !== null && this.mask(value) !== value ? name : [],
    );
    return secret.length === 0 ? exit : { ...exit, outputs: { ...exit.outputs, secret: new Set(secret) } };
  }

  /** A text without the values. */
  mask(text: string): string {
    return this.#mask.apply(text);
  }

  #add(index: number, value: string): void {
    this.#found.set(index, { ok: true, value });
    this.#mask.hide(value);
    for (const listener of this.#onValue) listener(value);
  }

  /** Gets a secret, once no other provider runs, unless the command that needs it has been stopped meanwhile. */
  #inTurn(index: number, isStopped: () => boolean): Promise<void> {
    const turn = this.#idle.then(async () => {
      if (this.#found.has(index) || isStopped()) return undefined;
      return this.#fetchOne(index);
    });
    this.#idle = turn.catch(() => undefined);
    return turn;
  }

  async #fetchOne(index: number): Promise<void> {
    const { source } = at(this.#secrets, index);
    if (source === null) throw new Error('a listed secret without a source');
    const key = keyOf(source);
    const timeout = this.#limits.get(key) ?? source.timeout;
    const runner = this.#runner;
    if (runner === undefined) throw new Error('a session without a runner');
    const before = runner.interruption;
    const attend: ShellRunner['attend'] = (...program) => runner.attend(...program);
    const output =
      this.#outputs.get(key) ?? (await runProvider({ ...source, timeout }, { ...this.#port, env: this.#env, attend }));
    // What a signal has ended can be tried again, for a hook.
    if (!output.ok && runner.interruption !== before) return;
    this.#outputs.set(key, output);
    const value = await valueIn(output, source);
    if (value.ok) this.#add(index, value.value);
    else this.#found.set(index, failure(`'${source.command[0] ?? ''}' ${value.problems.join('; ')}`));
  }
}

function keyOf({ command }: SecretProgram): string {
  return JSON.stringify(command);
}

/** The value of a secret in the output of its provider. */
async function valueIn(printed: Result<Buffer>, { value: path }: SecretProgram): Promise<Result<string>> {
  if (!printed.ok) return path === 'text' && printed.problems.includes(ENDLESS) ? failure(TOO_LARGE) : printed;
  const { value: output } = printed;
  if (output.length === 0) return failure('gave nothing');
  if (output.includes(0) || !isUtf8(output)) return failure('gave a NUL byte or invalid UTF-8');
  const text =
    path === 'text' ? withoutEnd(output) : (await import('../outputs/read_outputs.ts')).readScalar(output, path);
  if (text === undefined) return failure('gave no value at its path');
  if (text === '') return failure('gave nothing');
  return Buffer.byteLength(text) > SECRET_LIMIT ? failure(TOO_LARGE) : { ok: true, value: text };
}
