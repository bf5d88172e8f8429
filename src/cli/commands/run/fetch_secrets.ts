import type { ShellRunner } from '../../../backend/process/shell_runner.ts';
import type { RunJournal } from '../../../backend/run_journal.ts';
import { SessionSecrets } from '../../../backend/secrets/session_secrets.ts';
import type { Plan } from '../../../ir/plan.ts';
import type { RunIo } from '../../output/io.ts';
import { failure, type Result } from '../../../base/result.ts';
import { isTerminal } from '../../output/terminal.ts';
import { certainCommands } from '../../../ir/guarded_ops.ts';

/** The secrets of a plan. Providers may ask at the terminal, if there is one. */
export function openSecrets(io: RunIo, plan: Pick<Plan, 'secrets'>): SessionSecrets {
  const stdin = isTerminal(io.stdin) ? io.stdin : 'ignore';
  return new SessionSecrets(plan, io.env, { stdin, stderr: () => io.shared.lend() });
}

/**
 * Gets the secrets that a session needs in any case, before its record begins. `open` opens a runner for that time.
 * Returns the secrets of the session, the problems with which it must not start, or the exit code after a signal.
 */
export async function fetchSecrets(
  io: RunIo,
  plan: Plan,
  known: RunJournal['known'],
  open: () => ShellRunner,
): Promise<Result<SessionSecrets> | number> {
  const secrets = openSecrets(io, plan);
  // Nor do the programs have them that this process starts for itself, such as git for a report.
  for (const { name } of plan.secrets ?? []) Reflect.deleteProperty(io.env, name);
  const list = earlySecrets(plan, known);
  const runner = secrets.problemsOf(list) === undefined ? open() : undefined;
  if (runner === undefined) return { ok: true, value: secrets };
  secrets.use(runner);
  const problems = await runner.finish(secrets.fetch(list, () => runner.interruption !== undefined));
  const { interruption } = runner;
  if (interruption !== undefined) return io.die(interruption.signal);
  return problems.length === 0 ? { ok: true, value: secrets } : failure(...problems, 'nothing was started');
}

/** The secrets that a session needs in any case, in plan order. */
function earlySecrets(plan: Plan, known: RunJournal['known']): readonly number[] {
  const found = new Set<number>();
  for (const [index, { secrets = [] }] of certainCommands(plan)) {
    const kind = known(index)?.kind;
    if (kind === undefined || kind === 'cleaned') for (const secret of secrets) found.add(secret);
  }
  return [...found];
}
