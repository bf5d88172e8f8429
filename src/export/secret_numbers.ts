import { certainCommands } from '../ir/guarded_ops.ts';
import { at, type Op, type Plan, type SecretProgram } from '../ir/plan.ts';
import { listedSecrets } from '../ir/secret_names.ts';
import { formatDuration } from '../ir/views/format_duration.ts';
import type { ScopeWords } from './scope_words.ts';
import { quote, seconds } from './bash_words.ts';

/**
 * The secrets of a script by number. If the arguments of a program refer to variables, it has a number for each set of
 * values.
 */
export class SecretNumbers {
  readonly #plan: Plan;
  readonly #scope: ScopeWords;
  /** The words of each secret: its name, the path of its value, its time limit twice, and its program with arguments. */
  readonly #numbers = new Map<string, number>();
  readonly #ofOps = new Map<Op, readonly number[]>();
  /** The names of the secrets whose value is in JSON. */
  readonly #inJson = new Set<string>();

  constructor(plan: Plan, scope: ScopeWords) {
    this.#plan = plan;
    this.#scope = scope;
    for (const op of plan.ops) {
      if (op.kind === 'run' || op.kind === 'hook')
        this.#ofOps.set(
          op,
          (op.secrets ?? []).map((index) => this.#add(index, op.frame)),
        );
    }
  }

  /** The options of a step or hook for its secrets. */
  options(op: Op): readonly string[] {
    return (this.#ofOps.get(op) ?? []).map((number) => `secret=${number}`);
  }

  /** The function that describes each secret. */
  get lines(): readonly string[] {
    if (this.#numbers.size === 0) return [];
    const cases = Array.from(this.#numbers, ([words, number]) => `    ${number}) wf_provider=(${words}) ;;`);
    return [
      '# The secrets: name, path of the value, time limit, and the program that prints it.',
      'wf_describe_secret() {',
      '  case $1 in',
      ...cases,
      '  esac',
      '}',
      '',
    ];
  }

  /** The line that takes the secrets out of the environment. */
  get takeLines(): readonly string[] {
    const names = listedSecrets(this.#plan);
    return names.length === 0 ? [] : [`wf_take_secrets ${names.join(' ')}`];
  }

  /** The lines that get the secrets before the first command. */
  get earlyLines(): readonly string[] {
    const early = new Set<number>();
    for (const [, op] of certainCommands(this.#plan)) for (const number of this.#ofOps.get(op) ?? []) early.add(number);
    return [
      ...(early.size === 0 ? [] : [`wf_get_early_secrets ${[...early].join(' ')}`]),
      ...(this.#needsKeeper ? ['wf_start_keeper'] : []),
    ];
  }

  /** The line that looks for the program that reads JSON. */
  get readerLines(): readonly string[] {
    return this.#inJson.size === 0 ? [] : [`wf_find_secret_reader ${[...this.#inJson].join(' ')}`];
  }

  /** Whether members of groups may be the first to need a secret. */
  get #needsKeeper(): boolean {
    const certain = new Set<Op>(Array.from(certainCommands(this.#plan), ([, op]) => op));
    let groupEnd = 0;
    return this.#plan.ops.some((op, index) => {
      if (op.kind === 'parallel') groupEnd = Math.max(groupEnd, op.end.op);
      return index < groupEnd && !certain.has(op) && this.options(op).length > 0;
    });
  }

  get hasValuesInJson(): boolean {
    return this.#inJson.size > 0;
  }

  #add(index: number, frame: number): number {
    const { name, source } = at(this.#plan.secrets ?? [], index);
    if (source === null) throw new Error('a listed secret without a source');
    if (source.value !== 'text') this.#inJson.add(name);
    const words = [name, ...this.#words(source, frame)].join(' ');
    const number = this.#numbers.get(words) ?? this.#numbers.size + 1;
    this.#numbers.set(words, number);
    return number;
  }

  #words({ command, value, timeout, lookups = [], ...others }: SecretProgram, frame: number): readonly string[] {
    // A new field of a secret does not compile until the script handles it.
    others satisfies Record<string, never>;
    const path = value === 'text' ? value : quote(JSON.stringify([...value, null]));
    const args = command.map((text, argument) => {
      const own = lookups.filter((lookup) => lookup.argument === argument);
      return this.#scope.text('', text, own, frame);
    });
    return [path, seconds(timeout), formatDuration(timeout), ...args];
  }
}
