import { enterDirectoryOfRuns } from './runs/open_run.ts';
import { matchRun, type Answers } from '../driver/recording/match_run.ts';
import { CHANGED, withAgent, withAgentLogs, type ExpectedRun } from '../driver/recording/expected_run.ts';
import { stillRunning } from '../driver/recording/find_run.ts';
import { endOrphans, findOrphans, waitForOrphans } from '../driver/recording/orphans.ts';
import { openJournal, callerOf, recording, type Recording } from '../driver/recording/record_run.ts';
import { CALLER_DIRECTORY } from '../../base/caller_reference.ts';
import { nextSession, type Journal, type RecordedRun } from '../../records/journal/journal.ts';
import { resumeLines } from '../../records/journal/resume_records.ts';
import { createHeader } from '../../records/journal/session_header.ts';
import { print, printDocument } from '../output/document.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { EXIT, refuse, printStderr, type Io } from '../output/io.ts';
import { printMessages } from '../output/messages/print_messages.ts';
import { outputLines, sayPainted, type Rules } from '../output/paint.ts';
import { reportProblem } from '../reporters/report_flags.ts';
import { carryOut, confirmProblems, showPlan } from './run/carry_out.ts';
import { findResume, resumeTexts } from '../run_data/find_resume.ts';
import { resumePlan, type ResumePlan, type Question } from '../run_data/resume_plan.ts';
import { askLine } from '../../backend/system/ask_line.ts';
import { findShell } from '../../backend/system/find_shell.ts';
import { isTerminal } from '../output/terminal.ts';

const CHOICES = ['again', 'done', 'stop'] as const;
const PROMPT = 'cli: run it (again), count it as (done), or (stop)? ';

/** Whether questions can be asked: standard input and standard error are terminals. */
function canAsk({ stdin, stderr }: Io): boolean {
  return isTerminal(stdin) && isTerminal(stderr);
}

/**
 * Asks about each step whose end is unknown, until there is a valid answer. Returns undefined if the user chooses to stop
 * or ends the input, and the signal that ended a question.
 */
async function askInFlight(io: Io, questions: readonly Question[]): Promise<Answers | NodeJS.Signals | undefined> {
  const shell = findShell(io.env['PATH']);
  const answers = { done: new Set<number>(), rerun: new Set<number>() };
  for (const { op, text } of questions) {
    printStderr(io, [text], 'cli: ');
    let choice: (typeof CHOICES)[number] | undefined;
    while (choice === undefined) {
      const answer = shell && (await askLine({ ...io, shell }, PROMPT, false));
      if (answer?.kind === 'signal') return answer.signal;
      if (answer?.kind !== 'line') return undefined;
      const word = answer.text.trim().toLowerCase();
      choice = CHOICES.find((each) => word !== '' && each.startsWith(word));
    }
    if (choice === 'stop') return undefined;
    answers[choice === 'done' ? 'done' : 'rerun'].add(op);
  }
  return answers;
}

/** `workflow resume`: continues a recorded run and returns the exit code. With `expected`, starts nothing else. */
export async function resume(io: Io, options: Options, expected?: ExpectedRun): Promise<number> {
  const problem = reportProblem(io, options);
  if (problem !== undefined) return refuse(io, [problem]);
  const { words, last, dryRun, quiet, trust: isForeign } = options;
  const [text, params] = last ? [undefined, words] : [words[0], words.slice(1)];
  const startDirectory = enterDirectoryOfRuns(io, options);
  const opened = openJournal(io, options);
  if (!opened.ok) return refuse(io, opened.problems);
  const journal = opened.value;
  const found = await printMessages(io, options, findResume(io, options, journal, text, params, { startDirectory }));
  if (found === undefined) return EXIT.cannotStart;
  const { run, prepared } = found;
  const { plan } = prepared;
  const caller = run.sessions[0]?.header.caller;
  if (caller !== undefined) io.env[CALLER_DIRECTORY] = caller;
  await showPlan(io, plan, options);
  const matched = matchRun(plan, run, options);
  if (!matched.ok) return refuse(io, matched.problems);
  const shown = resumePlan(plan, run.id, matched.value.states);
  const texts = resumeTexts(run, shown.lines);
  if (expected?.isShown({ ...prepared, args: options.args }, texts) === false) return refuse(io, [CHANGED]);
  if (dryRun) return showDryRun(io, shown, options);
  if (!quiet) {
    sayPainted(io, shown.lines, PLAN_RULES);
    printStderr(io, shown.notes, 'cli: ');
  }
  const isAsked = shown.questions.length > 0 && canAsk(io);
  if (shown.problems.length > 0 && !isAsked) return refuse(io, shown.problems);
  const unanswered = await confirmProblems(io, plan, options, matched.value.part.known);
  if (unanswered.length > 0) return refuse(io, unanswered);
  // A process of a step in flight may still finish its work, so a question about the step has no answer yet.
  const left = await settleOrphans(io, run, options);
  if (left.length > 0) return refuse(io, left);
  const answers = isAsked ? await askInFlight(io, shown.questions) : undefined;
  if (typeof answers === 'string') return io.die(answers);
  if (isAsked && answers === undefined) return refuse(io, [STOPPED]);
  const decided = answers === undefined ? matched : matchRun(plan, run, options, answers);
  if (!decided.ok) return refuse(io, decided.problems);
  const { states, part } = decided.value;

  // The next resume needs the flag again.
  const record = (marker: string): Recording | undefined => {
    const { from, until } = part;
    const [session, file] = [nextSession(run), prepared.file];
    const [at, cwd, args] = [Date.now(), process.cwd(), options.args.length];
    const header = { run: run.id, session, plan, at, file, cwd, ...callerOf(io), args, from, until, marker };
    const begun = journal.begin(createHeader({ ...header, ...withAgent(expected) }));
    if (begun.kind === 'taken') return printStderr(io, [stillRunning(run.id, holderOf(journal, run.id))], 'cli: ');
    if (begun.kind === 'failed')
      return printStderr(io, [`the record of the run cannot be written: ${begun.problem}`], 'cli: ');
    const lost = begun.session.append(resumeLines(plan, states), 'synced');
    const warn = (message: string): void => printStderr(io, [message], 'cli: warning: ');
    if (lost === undefined)
      return recording({ run: run.id, session, plan, ...part, isForeign, earlier: null }, begun.session, warn);
    begun.session.giveUp();
    return printStderr(io, [`the record of the run cannot be written: ${lost}`], 'cli: ');
  };
  return carryOut(io, withAgentLogs(prepared, expected), options, {
    known: part.known,
    record,
    onBegin: expected?.onBegin,
  });
}

/** The colours of a plan's lines: steps that run, kept steps, and conflicts. */
const PLAN_RULES: Rules = [
  [/^run .*/, 'bold'],
  [/^  = .*|^  - .*/, 'faint'],
  [/^  >/, 'green'],
  [/^  [!x].*|^  \?.*/, 'red'],
];

/** Shows the plan of the resumed run: as text on standard output, or as a document, with the text on standard error. */
function showDryRun(io: Io, { lines, notes, problems, document }: ResumePlan, options: Options): number {
  const exit = problems.length === 0 ? EXIT.ok : EXIT.no;
  const isText = options.format === 'text';
  if (!isText && !options.quiet) sayPainted(io, lines, PLAN_RULES);
  const printed = isText ? print(io, outputLines(io, lines, PLAN_RULES), exit) : exit;
  if (!options.quiet) printStderr(io, notes, 'cli: ');
  printStderr(io, problems, 'cli: ');
  return isText ? printed : printDocument(io, document, options, exit);
}

const STOPPED = 'nothing was started';

function holderOf(journal: Journal, run: string): number | undefined {
  return journal.read(run)?.sessions.at(-1)?.header.pid;
}

/**
 * Ends the remaining processes of steps in the background, and waits for the other orphans of a run or terminates them.
 * Without `--orphans`, returns error messages about them.
 */
async function settleOrphans(io: Io, run: RecordedRun, options: Options): Promise<readonly string[]> {
  const { env } = io;
  const background = await findOrphans(run, true);
  if (background.pids.length > 0) {
    const steps = [...background.steps].join(', ');
    const text = `ending what is left of the steps in the background: ${steps} (${background.pids.join(', ')})`;
    if (!options.quiet) printStderr(io, [text], 'cli: ');
    await endOrphans(run, env, true);
  }
  if (options.orphans === 'wait') await waitForOrphans(run);
  else if (options.orphans === 'end') await endOrphans(run, env);
  const { pids, problem } = await findOrphans(run);
  if (problem !== undefined && !options.takeOver)
    return [
      `processes of run ${run.id} may still be running, but cannot be listed (${problem}); nothing was started`,
      'if none is running, add --take-over',
    ];
  if (pids.length === 0) return [];
  return [
    `processes of run ${run.id} are still running: ${pids.join(', ')}; nothing was started`,
    'to wait until they have ended, add --orphans wait; to end them, --orphans end',
  ];
}
