import { randomBytes } from 'node:crypto';
import { NO_FLAGS } from '../command_line/flag_values.ts';
import { locateFile, unrecordedArguments, unrecordedFile } from '../driver/recording/prepare_resume.ts';
import { isUnrecorded, UNRECORDED } from '../driver/recording/record_run.ts';
import { CHANGED } from '../driver/recording/expected_run.ts';
import type { Journal, RecordedRun } from '../../records/journal/journal.ts';
import type { Io } from '../output/io.ts';
import { failure, type Result } from '../../base/result.ts';
import { createKey, planResume, planRun, startRequest, type PlannedRun } from './planned_run.ts';
import type { RunAction } from './reports/run_document.ts';
import { shownLine, type RunRequest } from './start_message.ts';
import { startRun, type StartSettings } from './start_run.ts';

/** A start from a record: of the rest of the run, or of a new one like it. */
export type StartAction = Exclude<RunAction, 'cancel'>;

/** The decisions of a user about a resume, as the flags of the same names. `confirmed`: all questions are answered yes. */
export type Choices = Readonly<{
  changed?: 'keep' | 'rerun';
  onCrash?: 'rerun' | 'fail';
  done: readonly string[];
  rerun: readonly string[];
  confirmed: boolean;
}>;

/**
 * What would start. `digest` stands for what was shown this once, and is null if nothing can be planned. `hasConflicts` and `unknown` call for decisions. `command`
 * is the equal command line. `blocked`: with these choices, nothing can start.
 */
export type Preview = Pick<PlannedRun, 'lines' | 'problems' | 'unknown' | 'questions'> &
  Readonly<{ digest: string | null; has_conflicts: boolean; command: string; blocked: boolean }>;

/** The result of a start: the id of the run, or the reasons why it has not started, with what would start now. */
export type Start = Readonly<
  { kind: 'started'; run: string } | { kind: 'refused'; problems: readonly string[]; preview: Preview }
>;

/** The number of plans that can be started after they were shown. */
const MAX_SHOWN = 1000;

/** A plan that was shown, and the run that it has been started as. */
type ShownPlan = Readonly<{ digest: string }> & { run?: string };

/** Previews and starts runs on the word of their records. */
export class RunActions {
  readonly #io: Io;
  readonly #journal: Journal;
  readonly #program: StartSettings['program'];
  readonly #key = createKey();
  /** The plans that were shown, by the digests of their previews: each can be started once. */
  readonly #shown = new Map<string, ShownPlan>();

  constructor(io: Io, journal: Journal, program: StartSettings['program']) {
    this.#io = io;
    this.#journal = journal;
    this.#program = program;
  }

  /** The run that an action would start. Starts nothing. */
  async preview(run: RecordedRun, action: StartAction, choices: Choices): Promise<Preview> {
    const request = requestOf(run, action, choices);
    return this.#show(request, await this.#plan(run, request));
  }

  /** Starts what was shown with a digest, and waits until it is recorded. */
  async start(run: RecordedRun, action: StartAction, choices: Choices, digest: string): Promise<Start> {
    const request = requestOf(run, action, choices);
    const planned = await this.#plan(run, request);
    const shown = this.#shown.get(digest);
    const refuse = (...problems: readonly string[]): Start => {
      return { kind: 'refused', problems, preview: this.#show(request, planned) };
    };
    if (shown?.run !== undefined) return refuse(`the plan was started already, as run ${shown.run}; ${NOTHING_ELSE}`);
    if (!planned.ok || planned.value.problems.length > 0) return refuse(BLOCKED);
    if (shown?.digest !== planned.value.digest) return refuse(CHANGED);
    if (planned.value.questions.length > 0 && !choices.confirmed) return refuse(UNCONFIRMED);
    shown.run = planned.value.run;
    const settings = { program: this.#program, key: this.#key };
    const begun = await startRun(this.#io, this.#journal, planned.value, settings).begun;
    if (begun.ok) return { kind: 'started', run: begun.value };
    this.#shown.delete(digest);
    return { kind: 'refused', problems: begun.problems, preview: await this.preview(run, action, choices) };
  }

  /** Describes a plan, which can be started once with the digest of the description. */
  #show(request: RunRequest, planned: Result<PlannedRun>): Preview {
    if (!planned.ok) return { ...NOTHING, problems: planned.problems, command: shownLine(request), blocked: true };
    const { digest: plan, lines, problems, hasConflicts, unknown, questions } = planned.value;
    const digest = randomBytes(32).toString('hex');
    for (const oldest of this.#shown.keys()) if (this.#shown.size >= MAX_SHOWN) this.#shown.delete(oldest);
    this.#shown.set(digest, { digest: plan });
    const command = shownLine(startRequest(planned.value));
    const blocked = problems.length > 0;
    return { digest, lines, problems, has_conflicts: hasConflicts, unknown, questions, command, blocked };
  }

  async #plan(run: RecordedRun, request: RunRequest): Promise<Result<PlannedRun>> {
    const header = run.sessions.at(-1)?.header;
    if (header === undefined) throw new Error(`run ${run.id} has no session`);
    if (isUnrecorded(this.#io, NO_FLAGS)) return failure(UNRECORDED);
    if (header.args > 0) return failure(unrecordedArguments(run.id, header));
    if (request.command === 'resume') return planResume(this.#io, request, this.#journal, this.#key);
    return header.file === null ? failure(unrecordedFile(run.id)) : planRun(this.#io, request, this.#key);
  }
}

const BLOCKED = 'nothing can start like this; nothing was started';
const NOTHING_ELSE = 'nothing else was started';
const UNCONFIRMED = 'not every question was answered; nothing was started';

const NOTHING = { digest: null, lines: [], has_conflicts: false, unknown: [], questions: [] };

/** The request of an action. Recorded parameters that are secret come from the environment. */
function requestOf({ id, sessions }: RecordedRun, action: StartAction, choices: Choices): RunRequest {
  const { confirmed: _confirmed, ...decisions } = choices;
  if (action === 'resume') return { command: 'resume', name: id, params: [], ...decisions };
  const [first, last] = [sessions[0]?.header, sessions.at(-1)?.header];
  if (first === undefined || last === undefined) throw new Error(`run ${id} has no session`);
  const params = last.params.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  const part = { from: first.from ?? undefined, until: first.until ?? undefined };
  return { command: 'run', name: last.workflow, params, file: locateFile(last) ?? undefined, ...part };
}
