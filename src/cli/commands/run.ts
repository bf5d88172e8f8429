import { prepareRun, type AskName } from '../driver/prepare_run.ts';
import { CHANGED, withAgentLogs, type ExpectedRun } from '../driver/recording/expected_run.ts';
import { recordRun, type Recording } from '../driver/recording/record_run.ts';
import { partTexts, selectedPart } from '../driver/recording/selected_part.ts';
import { givenFlags } from '../driver/flag_words.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { EXIT, printStderr, refuse, type Io } from '../output/io.ts';
import { printMessages } from '../output/messages/print_messages.ts';
import { reportProblem } from '../reporters/report_flags.ts';
import { carryOut, confirmProblems, showPlan } from './run/carry_out.ts';

/** The flags that need `--on`. */
const REMOTE_FLAGS = ['tag', 'lock', 'id', 'priority', 'checkout', 'detach'] as const;

/** The flags for which other decisions about steps with sources are made, or at another time. */
const UNLIKE_SINCE = ['force', 'on', 'watch', 'assume'] as const;

/** `workflow run`: returns the exit code. With `expected`, starts nothing else. */
export async function run(io: Io, given: Options, expected?: ExpectedRun): Promise<number> {
  let options = given;
  const { on, web, assume, dryRun, planDigest, watch, since } = options;
  const others = since === undefined ? [] : givenFlags(options, UNLIKE_SINCE);
  if (others.length > 0)
    return refuse(
      io,
      others.map((flag) => `'--since' cannot be used with '${flag}'`),
    );
  const remote = on === undefined ? givenFlags(options, REMOTE_FLAGS) : [];
  if (remote.length > 0)
    return refuse(
      io,
      remote.map((flag) => `'${flag}' needs '--on'`),
    );
  const page = web ? await import('./page/open_page.ts') : undefined;
  const unshown = page?.webProblems(io, options) ?? [];
  if (unshown.length > 0) return refuse(io, unshown);
  const assumes = assume.length > 0;
  if (assumes && !dryRun) return refuse(io, ["'--assume' needs '--dry-run'"]);
  const digested = planDigest !== undefined ? await import('./plans/digest_plan.ts') : undefined;
  const malformed = digested?.refuseDigest(io, options);
  if (malformed !== undefined) return malformed;
  if (on !== undefined && !dryRun) {
    return (await import('./workers/run_on_worker.ts')).runOn(io, on, options);
  }
  const problem = reportProblem(io, options);
  if (problem !== undefined) return refuse(io, [problem]);
  if (watch.length > 0) return (await import('./watch/watch.ts')).watch(io, options);
  const asked: { code?: number } = {};
  const askName: AskName = async (unnamed, messages) => {
    const answer = await (await import('./run/ask_workflow.ts')).askWorkflow(io, given, unnamed, messages);
    if (typeof answer === 'number') asked.code = answer;
    else if (answer !== undefined) options = { ...given, words: [answer] };
    return typeof answer === 'number' ? undefined : answer;
  };
  const reported = await prepareRun(io, given, askName);
  if (asked.code !== undefined) return asked.code;
  const prepared = await printMessages(io, options, reported);
  if (prepared === undefined) return EXIT.cannotStart;
  const { written } = prepared;
  const other = digested?.refuseOtherPlan(io, prepared, options);
  if (other !== undefined) return other;
  await showPlan(io, written, options);
  const part = await selectedPart(prepared.plan, options);
  if (!part.ok) return refuse(io, part.problems);
  const decided =
    since === undefined
      ? undefined
      : await (await import('./run/since_run.ts')).sinceRun(io, prepared, options, since, part.value);
  if (decided?.ok === false) return refuse(io, decided.problems);
  const { prepared: chosen, selected } = decided?.value ?? { prepared, selected: part.value };
  const { plan } = chosen;
  if (expected?.isShown({ ...prepared, args: options.args }, partTexts(selected)) === false)
    return refuse(io, [CHANGED]);
  if (assumes) return (await import('./plans/simulate_run.ts')).simulateRun(io, plan, options, selected);
  const { known } = selected;
  if (options.dryRun) return (await import('./print_dry_run.ts')).dryRun(io, chosen, options, known);
  const questions = await confirmProblems(io, plan, options, known);
  if (questions.length > 0) return refuse(io, questions);
  const ready =
    chosen.questions === undefined
      ? chosen
      : await (await import('./run/ask_inputs.ts')).askAndPrepare(io, options, plan.workflow, chosen.questions);
  if (typeof ready === 'number') return ready;
  const opened = await page?.openPage(io);
  const record = (marker: string): Recording | undefined => {
    const warn = (message: string): void => printStderr(io, [message], 'cli: warning: ');
    const recorded = recordRun(io, ready, options, { part: selected, marker, warn, expected });
    return recorded.ok ? recorded.value : printStderr(io, recorded.problems, 'cli: ');
  };
  return carryOut(io, withAgentLogs(ready, expected), page?.withLogs(options) ?? options, {
    known,
    record,
    onBegin: (shared, run) => {
      expected?.onBegin(shared);
      opened?.show(run);
    },
  });
}
