import { dotenvFiles, link } from '../../ir/link.ts';
import type { Options } from '../../command_line/parse.ts';
import { printStderr, type Io } from '../../output/io.ts';
import type { Prepared } from '../prepare.ts';
import { checkInputs, checkNegativeValues } from '../variables/check_values.ts';
import { readDotenvFiles } from '../variables/link_plan.ts';
import type { RemoteRun } from './remote_run.ts';
import { positionIn } from './remote_run.ts';

/**
 * Links a plan from another machine to the environment of this one, and checks inputs and values that depend on it.
 * Returns undefined after printing an error.
 */
export async function checkEnvironment(io: Io, run: RemoteRun, options: Options): Promise<Prepared | undefined> {
  const written = { plan: run.plan, path: run.path, startDirectory: '', position: positionIn(run) };
  const dotenv = await readDotenvFiles(io, dotenvFiles(written.plan));
  if (dotenv === undefined) return undefined;
  const { plan, problems } = link(written.plan, { inherited: io.env, dotenv });
  if (problems.length > 0) return printStderr(io, (await import('./remote_errors.ts')).renderUnlinked(run, problems));
  if (!(await checkInputs(io, plan, options))) return undefined;
  const prepared = { ...written, plan };
  return (await checkNegativeValues(io, prepared, options, 'error')) ? prepared : undefined;
}
