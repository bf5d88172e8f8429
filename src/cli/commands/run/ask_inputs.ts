import { askLine } from '../../../backend/system/ask_line.ts';
import { findShell } from '../../../backend/system/find_shell.ts';
import type { PreparedRun, Questions } from '../../driver/prepare_run.ts';
import { QUESTION_LIMIT } from '../../driver/variables/check_values.ts';
import type { Input } from '../../../frontend/ast.ts';
import { valueProblem } from '../../../ir/inputs.ts';
import type { Variable } from '../../../ir/plan.ts';
import { isSecretInput } from '../../../ir/secret_names.ts';
import { describeInput } from '../../../ir/views/describe_input.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { escapeForTerminal } from '../../output/escape.ts';
import { EXIT, printStderr, type Io } from '../../output/io.ts';
import { printMessages } from '../../output/messages/print_messages.ts';

/**
 * Asks for the required inputs of a workflow, and prepares the run with the answers. Without valid answers, prints the
 * errors about the inputs. Returns the exit code if the run must not start.
 */
export async function askAndPrepare(
  io: Io,
  options: Options,
  workflow: string,
  questions: Questions,
): Promise<PreparedRun | number> {
  const answers = await askInputs(io, options, workflow, questions);
  if (typeof answers === 'number') return answers;
  return (await printMessages(io, options, questions.answered(answers))) ?? EXIT.cannotStart;
}

/**
 * Asks for inputs, at most `QUESTION_LIMIT` times in all. If one has no valid answer, prints the errors about those without
 * a value, and returns the exit code.
 */
export async function askInputs(
  io: Io,
  options: Options,
  workflow: string,
  { inputs, answered }: Questions,
): Promise<readonly Variable[] | number> {
  const shell = findShell(io.env['PATH']);
  const answers: Variable[] = [];
  for (let asked = 0; asked < QUESTION_LIMIT; asked += 1) {
    const input = inputs[answers.length];
    if (input === undefined || shell === undefined) break;
    const answer = await askLine({ ...io, shell }, promptOf(io, input), isSecretInput(input));
    if (answer.kind === 'signal') return io.die(answer.signal);
    if (answer.kind === 'none') break;
    const problem = valueProblem(workflow, input, answer.text, 'typed');
    if (problem === undefined) answers.push([input.name, answer.text]);
    else printStderr(io, [problem], 'cli: ');
  }
  if (answers.length === inputs.length) return answers;
  // The errors are about the inputs that still have no value.
  await printMessages(io, options, await answered(answers));
  return EXIT.cannotStart;
}

/** The question for an input: its name, its description and its values. */
function promptOf({ wrap = (text) => text }: Io, input: Input): string {
  const { name, description } = input;
  const values = describeInput({ ...input, required: false }, isSecretInput(input));
  const about = [description, ...values].filter((text) => text !== '').join('; ');
  return wrap(escapeForTerminal(`cli: ${name}${about === '' ? '' : ` (${about})`}: `));
}
