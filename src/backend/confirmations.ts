import { conditionParts } from '../ir/ops.ts';
import type { Op, Plan, RunOp } from '../ir/plan.ts';
import { combinationsAround } from '../ir/steps/step_number.ts';
import type { PlanChecks } from './checks/plan_checks.ts';
import type { CommandRunner } from './command_runner.ts';
import type { Requests } from './command_requests.ts';
import type { RunJournal } from './run_journal.ts';

/**
 * How questions of steps are answered: all with `yes`, `refused` for lack of a terminal, or by the user, after the
 * prompt of the question.
 */
export type ConfirmSettings = Readonly<
  { kind: 'yes' | 'refused' } | { kind: 'ask'; promptOf: (question: string) => string }
>;

/** The answer to a question. `unasked`: there was no terminal. */
export type Confirmation = 'yes' | 'no' | 'unasked';

/** A step with a question, and the first op that has not run if others are asked before it. */
export type AskingStep = Readonly<{ op: RunOp; index: number; pending?: number }>;

/** The parts of a run that asking needs. */
export type ConfirmationParts = Readonly<{
  plan: Plan;
  base: ReadonlyMap<string, string>;
  journal: RunJournal;
  nextNumber: () => number;
  requests: Requests;
  beforeQuestion?: (() => void) | undefined;
  checks?: PlanChecks | undefined;
}>;

/** Asks each question of a step once, before the step runs. */
export class Confirmations {
  readonly #settings: ConfirmSettings;
  readonly #parts: ConfirmationParts;
  readonly #confirmed = new Set<Op>();

  constructor(settings: ConfirmSettings, parts: ConfirmationParts) {
    this.#settings = settings;
    this.#parts = parts;
  }

  /** Asks the question of a step, if it has one. */
  async ask({ op, index, pending }: AskingStep, runner: CommandRunner): Promise<Confirmation> {
    const settings = this.#settings;
    const { confirm } = op.options;
    if (confirm === null || settings.kind === 'yes' || this.#confirmed.has(op)) return 'yes';
    if (settings.kind !== 'ask') return 'unasked';
    this.#parts.beforeQuestion?.();
    const { plan, journal, requests } = this.#parts;
    // Copies ask in the same words.
    const question = `${requests.questionOf(op, pending) ?? confirm}${combinationsAround(plan, op.call, op.step)}`;
    journal.ask(index, question);
    if (!(await this.#isConfirmed(settings.promptOf(question), runner))) return 'no';
    this.#confirmed.add(op);
    return 'yes';
  }

  /**
   * The steps of a group whose questions are asked before the group starts. A step behind a condition with a command is
   * included, because it may run and cannot be asked about later. Without a terminal, it is refused only when it runs.
   */
  *inGroup(start: number, end: number): Generator<AskingStep> {
    const { plan, journal } = this.#parts;
    if (this.#settings.kind === 'yes') return;
    for (let index = start; index < end; index += 1) {
      const op = plan.ops[index];
      if (op?.kind === 'run' && op.options.confirm !== null && journal.known(index) === undefined)
        yield { op, index, pending: start };
      if (op?.kind === 'condition' && this.#isSkipped(op, index)) index = op.target - 1;
    }
  }

  #isSkipped({ test, frame }: Op & { kind: 'condition' }, index: number): boolean {
    const { journal, requests } = this.#parts;
    const known = journal.known(index);
    if (known?.kind === 'decided') return !known.holds;
    if (this.#settings.kind === 'refused' || this.#parts.checks?.isUpToDate(index) === true) return true;
    const { variable } = conditionParts(test);
    return variable !== undefined && requests.isUnset(frame, variable);
  }

  /**
   * The shell asks: like any command, it reads from the terminal, so Ctrl-C and signals reach it as they reach a step.
   */
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
      isQuestion: true,
    });
    return kind === 'exited' && 'code' in others && others.code === 0;
  }
}

/** Answers all questions of a run with yes. */
export function answerYes(parts: ConfirmationParts): Confirmations {
  return new Confirmations({ kind: 'yes' }, parts);
}

/** A command that prints a prompt, reads a line, and succeeds if the answer is yes. */
function questionCommand(prompt: string): string {
  const quoted = `'${prompt.replaceAll("'", String.raw`'\''`)}'`;
  return `printf %s ${quoted}; read -r answer || echo; case $answer in [yY] | [yY][eE][sS]) ;; *) exit 1 ;; esac`;
}
