import { dotenvFiles, link } from '../../ir/link.ts';
import type { Options } from '../../command_line/parse.ts';
import { say, type Io } from '../../output/io.ts';
import type { Prepared } from '../prepare.ts';
import { checkInputs, checkNegativeValues } from '../variables/check_values.ts';
import { readDotenvFiles } from '../variables/link_plan.ts';

/**
 * Links a plan from another machine to the environment of this one, and checks inputs and values that depend on it.
 * Returns undefined after printing an error.
 */
export async function checkEnvironment(io: Io, written: Prepared, options: Options): Promise<Prepared | undefined> {
  const dotenv = await readDotenvFiles(io, dotenvFiles(written.plan));
  if (dotenv === undefined) return undefined;
  const { plan, problems } = link(written.plan, { inherited: io.env, dotenv });
  if (problems.length > 0) {
    const names = new Set(problems.map(({ lookup }) => lookup.name));
    const lines = Array.from(names, (name) => `the worker of this run has no value for \${vars.${name}}`);
    return say(io, lines, 'cli: ');
  }
  if (!(await checkInputs(io, plan, options))) return undefined;
  const prepared = { ...written, plan };
  return (await checkNegativeValues(io, prepared, options, 'error')) ? prepared : undefined;
}
