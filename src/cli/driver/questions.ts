import { Confirmations, type ConfirmSettings } from '../../backend/confirmations.ts';
import type { RunSettings } from '../../backend/run_settings.ts';
import type { RunJournal } from '../../backend/run_journal.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { certainCommands } from '../../ir/guarded_ops.ts';
import { knownQuestion } from '../../ir/ops.ts';
import type { Plan } from '../../ir/plan.ts';
import { describeOp } from '../../ir/steps/describe_op.ts';
import { escapeForTerminal } from '../output/escape.ts';
import type { Io } from '../output/io.ts';
import { isOff } from '../../base/boolean_value.ts';
import { isTerminal } from '../output/terminal.ts';

/** How questions of steps are answered: by `--yes`, or by the user at a terminal. */
function confirmSettings(io: Io, { yes }: Options): ConfirmSettings {
  if (yes) return { kind: 'yes' };
  if (!isAttended(io)) return { kind: 'refused' };
  const { wrap = (text) => text } = io;
  return { kind: 'ask', promptOf: (question) => wrap(`cli: ${escapeForTerminal(question)} [y/N] `) };
}

/** Whether a user at a terminal can answer questions. */
function isAttended({ env, stdin, stderr }: Pick<Io, 'env' | 'stdin' | 'stderr'>): boolean {
  return isOff(env, 'CI') && isTerminal(stdin) && isTerminal(stderr);
}

/** Whether a command may ask for inputs: the short form at a terminal, without flags for scripts. */
export function mayAsk(io: Io, { form, dryRun, quiet, yes, on }: Options): boolean {
  const isForScripts = dryRun || quiet || yes || on !== undefined;
  return form === 'short' && !isForScripts && isAttended(io);
}

/** Asks the questions of a run. */
export function confirmations(io: Io, options: Options): RunSettings['confirm'] {
  return (parts) => new Confirmations(confirmSettings(io, options), parts);
}

/** Errors for the questions of unconditional steps, without a terminal. */
export function unansweredQuestions(io: Io, plan: Plan, options: Options, known: RunJournal['known']): string[] {
  if (confirmSettings(io, options).kind !== 'refused') return [];
  const questions = [...certainCommands(plan)].flatMap(([index, op]) => {
    if (op.kind !== 'run' || known(index) !== undefined) return [];
    const question = knownQuestion(op);
    return question === null ? [] : `${describeOp(plan, op)} asks: ${question}`;
  });
  if (questions.length === 0) return [];
  const isAtTerminal = isTerminal(io.stdin) && isTerminal(io.stderr);
  const reason = isAtTerminal
    ? 'no question is asked where CI is set; unset it, or'
    : 'there is no terminal to ask at;';
  return [`${reason} to answer yes, add --yes`, ...new Set(questions)];
}
