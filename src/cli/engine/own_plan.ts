import { normalize } from 'node:path';
import { paramWord } from '../../base/param_word.ts';
import { DEFAULT_FILE } from '../command_line/default_file.ts';
import { NO_OPTIONS } from '../driver/flag_words.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { runParams, type Plan } from '../../ir/plan.ts';
import type { Io } from '../output/io.ts';
import type { Message } from '../output/messages/message.ts';
import { prepare } from '../driver/prepare_run.ts';
import type { RemoteRun } from './remote_run.ts';

/** The problems with a plan that the workflow file in the current directory does not have; empty if it has it. */
export async function checkOwnPlan(io: Io, { plan, path }: RemoteRun): Promise<readonly Message[]> {
  const only = `this worker takes only the plans of its own ${DEFAULT_FILE}`;
  // Otherwise, a client could name any file on this machine.
  if (normalize(path) !== DEFAULT_FILE) return [`${only}, and this one is of ${path}`];
  const own = await prepare(io, optionsOf(plan), 'submit');
  if (!own.ok) return [...own.problems, `${only}, which has no plan of this workflow with these parameters`];
  return content(own.value.written) === content(plan) ? [] : [`${only}, and this one differs from it`];
}

/** The command line of a plan. */
function optionsOf(plan: Plan): Options {
  // A file that is named is not searched for in parent directories.
  return { ...NO_OPTIONS, isFileNamed: true, words: [plan.workflow, ...runParams(plan).map(paramWord)] };
}

/** A plan as text, without the positions in the file: a comment or a line break does not make another plan. */
function content(plan: Plan): string {
  return JSON.stringify(plan, (key, value: unknown) => (key === 'offset' ? undefined : value));
}
