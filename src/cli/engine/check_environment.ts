import type { Options } from '../command_line/parse_command_line.ts';
import type { Io } from '../output/io.ts';
import type { Message } from '../output/messages/message.ts';
import type { Result } from '../../base/result.ts';
import type { Prepared } from '../driver/prepare_run.ts';
import { checkInputs, checkNegativeValues } from '../driver/variables/check_values.ts';
import { linkAnyPlan } from '../driver/variables/link_plan.ts';
import type { RemoteRun } from './remote_run.ts';
import { positionIn } from './remote_run.ts';

/**
 * Links a plan from another machine to the environment of this one, and checks inputs and values that depend on it. The
 * worker keeps the output, whatever the workflow says.
 */
export async function checkEnvironment(io: Io, run: RemoteRun, options: Options): Promise<Result<Prepared, Message>> {
  const { plan, problems: unlinked } = await linkAnyPlan(io, run.plan, async (problems) => {
    const lines = (await import('./remote_errors.ts')).renderUnlinked(run, problems);
    return [{ kind: 'lines', prefix: '', lines }];
  });
  if (unlinked.length > 0) return { ok: false, problems: unlinked };
  const prepared = { plan, path: run.path, startDirectory: '', position: positionIn(run), logs: false };
  const missing = await checkInputs(io, plan, options);
  const problems = missing.length > 0 ? missing : checkNegativeValues(io, prepared, 'error');
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: prepared };
}
