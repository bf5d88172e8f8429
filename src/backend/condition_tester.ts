import { looksNegative } from '../frontend/lint/conditions.ts';
import type { ConditionOp } from '../ir/plan.ts';
import { isCheck, conditionParts } from '../ir/ops.ts';
import { HOLDS, type Checks, type ConditionResult } from './checks/check_port.ts';
import { exitCode, isNoAnswer, type CommandRunner } from './command_runner.ts';
import type { Attempts } from './attempts.ts';
import type { Requests } from './command_requests.ts';
import type { SharedState } from './run_settings.ts';

/** Tests the conditions of a run or of a branch. */
export class ConditionTester {
  readonly #commands: Attempts;
  readonly #requests: Requests;
  readonly #checks: Checks | undefined;
  readonly #runner: CommandRunner;

  constructor(
    commands: Attempts,
    { requests, checks }: Pick<SharedState, 'requests' | 'checks'>,
    runner: CommandRunner,
  ) {
    this.#commands = commands;
    this.#requests = requests;
    this.#checks = checks;
    this.#runner = runner;
  }

  async test(op: ConditionOp, index: number): Promise<ConditionResult> {
    const { test, frame } = op;
    if (isCheck(op)) return (await this.#checks?.test(op, index, this.#runner)) ?? HOLDS;
    if (test.kind === 'variable') {
      const value = this.#requests.environment(frame).get(test.name) ?? '';
      const failed = looksNegative(value);
      if (failed) await this.#rejectValue(op, index, { variable: test.name, value });
      return { holds: value !== '', failed, exit: null };
    }
    const { code, reads } = conditionParts(test);
    const ended = await this.#commands.run(op, index, () => this.#requests.ofCondition(op, code, reads));
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
    const step = this.#requests.exitCodeIn(op.frame, given.variable);
    const rejection = {
      kind: 'negative value',
      ...given,
      source,
      ...(step !== undefined && { exitCodeOf: step }),
    } as const;
    await this.#commands.showBoth(op, index, { exit: { kind: 'rejected', rejection }, attempts: 1 });
  }
}
