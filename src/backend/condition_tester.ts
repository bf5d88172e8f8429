import { looksNegative } from '../frontend/lint/conditions.ts';
import type { ConditionOp } from '../ir/plan.ts';
import { exitCode, isNoAnswer, type Exit } from './command_runner.ts';
import type { Attempts } from './attempts.ts';
import type { Requests } from './requests.ts';

/**
 * Whether a condition holds, and whether it failed the run. `exit` is the end of its command, null if there was none.
 */
export type ConditionResult = Readonly<{ holds: boolean; failed: boolean; exit: Exit | null }>;

/** Tests the conditions of a run or of a branch. */
export class ConditionTester {
  readonly #commands: Attempts;
  readonly #requests: Requests;

  constructor(commands: Attempts, requests: Requests) {
    this.#commands = commands;
    this.#requests = requests;
  }

  async test(op: ConditionOp, index: number): Promise<ConditionResult> {
    const { test, frame } = op;
    if (test.kind === 'variable') {
      const value = this.#requests.environment(frame).get(test.name) ?? '';
      const failed = looksNegative(value);
      if (failed) await this.#rejectValue(op, index, { variable: test.name, value });
      return { holds: value !== '', failed, exit: null };
    }
    const ended = await this.#commands.run(op, index, () => this.#requests.ofCondition(op, test.command, test.reads));
    const failed = ended !== undefined && isNoAnswer(ended.exit);
    return { holds: ended !== undefined && exitCode(ended.exit) === 0, failed, exit: ended?.exit ?? null };
  }

  /** Fails the run at a condition whose variable has a negative value. At this point, only outputs can have one. */
  async #rejectValue(
    op: ConditionOp,
    index: number,
    given: Readonly<{ variable: string; value: string }>,
  ): Promise<void> {
    const source = this.#requests.settingOf(op.frame, given.variable)?.source ?? 'environment';
    const rejection = { kind: 'negative value', ...given, source } as const;
    await this.#commands.showBoth(op, index, { exit: { kind: 'rejected', rejection }, attempts: 1 });
  }
}
