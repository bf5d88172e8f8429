import { openSync } from 'node:fs';
import { markerName, setCallerDirectory } from '../../../backend/process/base_environment.ts';
import { ReplayingJournal } from '../../../records/journal/replay/replaying_journal.ts';
import { optionsOf, type RemoteRun, positionIn } from '../../engine/remote_run.ts';
import { Channel, Interrupter, type RunMessage } from '../../engine/run_channel.ts';
import { endUnattended } from '../../engine/unattended_runs.ts';
import { noRecording } from '../../driver/recording/record_run.ts';
import { EXIT, refuse, printStderr, type Io, type RunIo } from '../../output/io.ts';
import { printMessages } from '../../output/messages/print_messages.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { carryOut } from '../run/carry_out.ts';
import { isTerminal } from '../../output/terminal.ts';
import type { Message } from '../../output/messages/message.ts';
import type { Result } from '../../../base/result.ts';
import type { Prepared } from '../../driver/prepare_run.ts';
import { checkInputs, checkNegativeValues } from '../../driver/variables/check_values.ts';
import { linkAnyPlan } from '../../driver/variables/link_plan.ts';

/**
 * `workflow process`: executes one run for a worker, and exchanges messages with it over IPC. The worker gets the run's
 * exit code in a message, not from the process. With a word after `--`, a run that a page or an agent
 * starts, or the page of a run.
 */
export async function runProcess(io: Io, options: Options): Promise<number> {
  const { words } = options;
  if (words[0] === 'ui' && !isTerminal(io.stdin))
    return (await import('../page/page_command.ts')).pageOfRun(io, options);
  if (words.length > 0) return (await import('./started_run.ts')).startedRun(io);
  if (process.send === undefined) return refuse(io, ["'workflow process' is started by workers only"]);
  const report = (problem: string): void => printStderr(io, [problem], 'cli: ');
  const channel = new Channel(() => process.exit(EXIT.no), report);
  const message = await channel.run();
  let interrupted: NodeJS.Signals | null = null;
  const die = (signal: NodeJS.Signals): Promise<number> => {
    interrupted = signal;
    return Promise.resolve(EXIT.no);
  };
  if (message.wasLost) await endUnattended(io.env, ({ run }) => run === message.id);
  const code = await executeInPlace({ ...io, die }, message, channel);
  await channel.send(code === 'refused' ? { kind: code } : { kind: 'end', code, interrupted });
  return EXIT.ok;
}

/** Executes a run in its checkout, or in the directory of the worker. A run that was not successful keeps its checkout. */
async function executeInPlace(io: Io, message: RunMessage, channel: Channel): Promise<number | 'refused'> {
  const { id, run } = message;
  const { commit, directory = '' } = run;
  if (commit === undefined) return executeRun(io, message, channel);
  const marker = markerName(process.pid, process.hrtime.bigint());
  const { enterCheckout } = await import('../../engine/checkout.ts');
  const checkout = await enterCheckout(io, { commit, directory, run: id, marker });
  if (!checkout.ok) return refuse(io, checkout.problems);
  const code = await executeRun(io, message, channel);
  const isDone = code === EXIT.ok || code === 'refused';
  const problem = await (isDone ? checkout.value.remove() : checkout.value.keep());
  if (problem !== undefined) printStderr(io, [problem], 'cli: warning: ');
  return code;
}

/** Nobody has asked for the warnings about the worker's own file. */
const ERRORS_ONLY = { quiet: true, noCi: true };

async function executeRun(
  io: Io,
  { id, run, earlier, records, ownPlans }: RunMessage,
  channel: Channel,
): Promise<number | 'refused'> {
  const problems = ownPlans ? await (await import('../../engine/own_plan.ts')).checkOwnPlan(io, run) : [];
  if (problems.length > 0) {
    await printMessages(io, ERRORS_ONLY, { ok: false, problems });
    return 'refused';
  }
  const options = optionsOf(run);
  setCallerDirectory(io.env);
  const prepared = await printMessages(io, options, checkEnvironment(io, run, options));
  if (prepared === undefined) return EXIT.cannotStart;
  const interrupter = new Interrupter();
  const journal = new ReplayingJournal({
    plan: run.plan,
    earlier,
    records,
    send: (written) => channel.store(written),
    interrupt: interrupter.deliver,
    now: Date.now,
  });
  let isRepeated = records.length > 0;
  const nowhere = isRepeated ? openSync('/dev/null', 'w') : io.stderr;
  const shown = (whole: RunIo): Io => ({
    ...whole,
    get stderr() {
      return isRepeated ? nowhere : whole.stderr;
    },
    get shared() {
      return isRepeated ? undefined : whole.shared;
    },
  });
  channel.onLost = () => {
    journal.close();
    interrupter.deliver('SIGTERM');
    interrupter.deliverNext('SIGTERM');
  };
  const finish = (): void => void (isRepeated = false);
  const recording = { ...noRecording(journal.known), session: 1, journal, finish, isComplete: () => true };
  const session = { known: journal.passed, record: () => recording };
  let ignored = journal.receivedSignals;
  /** Signals of the recorded part of the run have been received before. */
  const listen = (deliver: (signal: NodeJS.Signals) => boolean): void =>
    channel.listen((signal) => {
      if (ignored === 0) return deliver(signal);
      ignored -= 1;
      return true;
    });
  // While secrets are fetched before the first command.
  listen(interrupter.deliver);
  return carryOut(io, prepared, options, session, {
    shown,
    isLocked: true,
    goOn: `cli runs resume ${id}`,
    onEvent: (event) => (isRepeated = journal.isRepeated(event)),
    runner: (port) => {
      const runner = journal.runner(port);
      listen(() => false);
      void journal.replayed().then(() => listen(interrupter.deliverNext));
      return runner;
    },
  });
}

/**
 * Links a plan from another machine to the environment of this one, and checks inputs and values that depend on it. The
 * worker keeps the output, whatever the workflow says.
 */
async function checkEnvironment(io: Io, run: RemoteRun, options: Options): Promise<Result<Prepared, Message>> {
  const { plan, problems: unlinked } = await linkAnyPlan(io, run.plan, async (problems) => {
    const lines = (await import('../../engine/remote_errors.ts')).renderUnlinked(run, problems);
    return [{ kind: 'lines', prefix: '', lines }];
  });
  if (unlinked.length > 0) return { ok: false, problems: unlinked };
  const prepared = { plan, path: run.path, startDirectory: '', position: positionIn(run), logs: false };
  const missing = await checkInputs(io, plan, options);
  const problems = missing.length > 0 ? missing : checkNegativeValues(io, prepared, 'error');
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: prepared };
}
