import type { Op, Plan, RunOp } from '../ir/plan.ts';
import type { CommandRunner } from './command_runner.ts';
import type { Requests } from './requests.ts';
import type { RunJournal } from './run_journal.ts';

/**
 * The answer to the questions of steps: `yes` to all of them, `refused` where there is no terminal to ask at, or that of
 * a person, who is shown the prompt of a step.
 */
export type ConfirmSettings = Readonly<{ kind: 'yes' | 'refused' } | { kind: 'ask'; promptOf: (op: RunOp) => string }>;

/** The answer to one question. Unasked: there was no terminal. */
export type Answer = 'yes' | 'no' | 'unasked';

/** What asking needs of a run. */
type Parts = Readonly<{
  plan: Plan;
  settings: ConfirmSettings;
  base: ReadonlyMap<string, string>;
  journal: RunJournal;
  nextNumber: () => number;
  requests: Requests;
}>;

/** Asks the questions of steps before they run, each once. */
export class Confirmations {
  readonly #parts: Parts;
  readonly #confirmed = new Set<Op>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Asks the question of a step, if it has one. */
  async ask(op: RunOp, runner: CommandRunner): Promise<Answer> {
    const { settings } = this.#parts;
    if (op.options.confirm === null || settings.kind === 'yes' || this.#confirmed.has(op)) return 'yes';
    if (settings.kind !== 'ask') return 'unasked';
    if (!(await this.#isConfirmed(settings.promptOf(op), runner))) return 'no';
    this.#confirmed.add(op);
    return 'yes';
  }

  /**
   * The steps of a group whose questions come before it starts. A step behind a command cannot be known to run, but
   * nobody can be asked later; without a terminal, it is left to its turn.
   */
  *inGroup(start: number, end: number): Generator<RunOp> {
    const { plan, journal, settings } = this.#parts;
    if (settings.kind === 'yes') return;
    for (let index = start; index < end; index += 1) {
      const op = plan.ops[index];
      if (op?.kind === 'run' && op.options.confirm !== null && journal.known(index) === undefined) yield op;
      if (op?.kind === 'condition' && this.#isSkipped(op, index)) index = op.target - 1;
    }
  }

  #isSkipped({ test, frame }: Op & { kind: 'condition' }, index: number): boolean {
    const { journal, requests, settings } = this.#parts;
    const known = journal.known(index);
    if (known?.kind === 'decided') return !known.holds;
    if (settings.kind === 'refused') return true;
    return test.kind === 'variable' && requests.isUnset(frame, test.name);
  }

  /** The shell asks: it reads from the terminal like any command, so Ctrl-C and signals reach it as they reach a step. */
  async #isConfirmed(prompt: string, runner: CommandRunner): Promise<boolean> {
    const { base, nextNumber } = this.#parts;
    const { kind, ...others } = await runner.run({
      command: questionCommand(prompt),
      errexit: false,
      number: nextNumber(),
      environment: base,
      references: new Map(),
      input: 'inherit',
      dir: null,
      outputs: [],
      timeout: null,
    });
    return kind === 'exited' && 'code' in others && others.code === 0;
  }
}

/** A command that prints a prompt, reads a line, and succeeds if that says yes. */
function questionCommand(prompt: string): string {
  const quoted = `'${prompt.replaceAll("'", String.raw`'\''`)}'`;
  return `printf %s ${quoted}; read -r answer || echo; case $answer in [yY] | [yY][eE][sS]) ;; *) exit 1 ;; esac`;
}
