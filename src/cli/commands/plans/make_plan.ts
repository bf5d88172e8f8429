import type { Options } from '../../command_line/parse_command_line.ts';
import { prepare } from '../../driver/prepare_run.ts';
import { secretNames } from '../../../ir/secret_names.ts';
import { plainName, runParams, type Plan } from '../../../ir/plan.ts';
import { formatOf } from '../../../ir/ops.ts';
import { hiddenVariables } from '../../../ir/views/plan_file.ts';
import { printStderr, type Io } from '../../output/io.ts';
import { printMessages } from '../../output/messages/print_messages.ts';

/** The plan of a workflow with parameters. Returns undefined after printing an error. */
export async function makePlan(io: Io, options: Options, words: readonly string[]): Promise<Plan | undefined> {
  const prepared = await printMessages(io, options, prepare(io, { ...options, words }, 'graph'));
  if (prepared === undefined) return undefined;
  const { plan: made } = prepared;
  const isSecret = secretNames(made);
  const secrets = runParams(made).filter(([name]) => isSecret(plainName(name)));
  if (secrets.length > 0) {
    const names = secrets.map(([name]) => `'${name}'`).join(', ');
    return printStderr(
      io,
      [`a plan contains its parameters, so it can have no secret ones: leave out ${names}`],
      'cli: ',
    );
  }
  reportHidden(io, made);
  return made;
}

/** The common fields of a plan and a comparison. */
export function planEntry(made: Plan): object {
  const params: Record<string, string> = Object.create(null);
  for (const [name, value] of runParams(made)) params[name] = value;
  return { format: formatOf(made), workflow: made.workflow, params, hidden: hiddenVariables(made) };
}

/** Names the secrets of a plan. */
export function reportHidden(io: Io, made: Plan): void {
  const hidden = hiddenVariables(made);
  if (hidden.length > 0) printStderr(io, [`the values of secrets are not compared: ${hidden.join(', ')}`], 'cli: ');
}
