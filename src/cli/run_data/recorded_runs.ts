import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ownCommand } from '../../backend/process/own_process.ts';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import type { TextEnd } from '../engine/engine.ts';
import { runsDirectory, trustOf } from '../driver/recording/record_run.ts';
import { recordedCommands } from '../driver/recording/recorded_commands.ts';
import { directoryJournal } from '../../records/journal/directory/directory_journal.ts';
import { logDirectory } from '../../records/journal/directory/file_names.ts';
import { readLogEnd } from '../../records/journal/directory/run_files.ts';
import { readingProblem } from '../../records/journal/directory/runs_directory.ts';
import { interruptHolder, stateOf } from '../../records/journal/holder/holder.ts';
import { type Journal, type RecordedRun, RESUMABLE, runState, type RunState } from '../../records/journal/journal.ts';
import type { SessionHeader } from '../../records/journal/record.ts';
import { findRuns } from '../../records/journal/run_id.ts';
import type { Io } from '../output/io.ts';
import { failure, type Result } from '../../base/result.ts';
import { isLogRemoved, isUnmasked, NOT_MASKED, REMOVED } from './last_output.ts';
import { runEntry, type RunEntry } from './run_entry.ts';
import { RunActions, type Choices, type Preview, type Start, type StartAction } from './run_actions.ts';
import { shownParams } from './reports/session_entry.ts';
import { commitOf, runDocument, type RunAction, type RunDocument } from './reports/run_document.ts';

/** A run in the list of the page. Parameters and commit of a run of workers are not known here. */
export type ListedRun = Omit<RunEntry, 'state'> &
  Readonly<{ state: RunDocument['state']; actions: readonly RunAction[]; params?: Readonly<Record<string, string>> }> &
  Pick<SessionHeader, 'commit'>;

/** The names of the files with the records of sessions. */
const SESSIONS = /^session-/;

/** The maximum number of runs in the list. */
const MAX_RUNS = 200;

/** The size of the end of a log that is shown, in bytes. */
export const LOG_END = 262_144;

/** The states of runs that cannot be run again. */
const UNSAFE: ReadonlySet<RunState> = new Set(['damaged', 'unclear', 'running', 'waiting']);

/** The states of runs whose process may be alive. */
const MAY_RUN: ReadonlySet<RunState> = new Set(['unclear', 'running', 'waiting']);

/** The directory in which runs are recorded, and whether the page may change something. */
type Place = Readonly<{ directory: string; readOnly: boolean }>;

/** The newest session of a run, and its entry. The records of all runs together may be larger than the memory. */
type KnownRun = Readonly<{ mark: string; header: SessionHeader | undefined; entry: RunEntry & ListedRun }>;

/** The records of a directory's runs, for the page: prints nothing and changes no record. */
export class RecordedRuns {
  readonly kind = 'files';
  /** The directory of all records. */
  readonly path: string;
  readonly #directory: string;
  readonly #readOnly: boolean;
  readonly journal: Journal;
  readonly #actions: RunActions;
  readonly #known = new Map<string, KnownRun>();

  private constructor(path: string, { directory, readOnly }: Place, journal: Journal, actions: RunActions) {
    this.path = path;
    this.#directory = directory;
    this.#readOnly = readOnly;
    this.journal = journal;
    this.#actions = actions;
  }

  /** Opens the records of the current directory. A foreign record stays foreign, whatever the environment says. */
  static open(io: Io, place: Place, program = ownCommand()): Result<RecordedRuns> {
    const directory = runsDirectory(io);
    const problem = readingProblem(directory);
    if (problem !== undefined) return failure(problem);
    const journal = directoryJournal(directory.path, { ...trustOf(io), all: false });
    const actions = new RunActions(io, journal, program);
    return { ok: true, value: new RecordedRuns(directory.path, place, journal, actions) };
  }

  /** The ids of the newest runs, newest first. */
  ids(): readonly string[] {
    return this.journal.runs().toReversed().slice(0, MAX_RUNS);
  }

  /** The id of the only run that a text names, as on the command line: an id of a request never becomes a path unseen. */
  idOf(text: string): string | undefined {
    const [id, ...others] = findRuns(this.journal.runs(), text);
    return others.length === 0 ? id : undefined;
  }

  /** Whether a record is of other origin. */
  isForeign(id: string): boolean {
    return this.#read(id)?.entry.foreign === true;
  }

  /** The header of the newest session of a run. */
  header(id: string): SessionHeader | undefined {
    return this.#find(id)?.sessions.at(-1)?.header;
  }

  /** Whether an agent has started a session: secrets are masked in its logs. */
  isOfAgent(id: string, session: number): boolean {
    const sessions = this.#find(id)?.sessions ?? [];
    return sessions.some(({ header }) => header.session === session && header.agent !== undefined);
  }

  /** The runs with these ids that have a record. */
  list(): readonly ListedRun[] {
    const ids = this.ids();
    const listed = new Set(ids);
    for (const id of this.#known.keys()) if (!listed.has(id)) this.#known.delete(id);
    return ids.flatMap((id) => this.#read(id)?.entry ?? []);
  }

  /** The document of a run; undefined if there is no such run. */
  document(id: string): RunDocument | undefined {
    if (this.idOf(id) !== id) return undefined;
    const mark = this.#filesOf(join(this.path, id), SESSIONS);
    const run = this.journal.read(id);
    if (run === undefined) return undefined;
    const { state, actions } = this.#note(run, mark).entry;
    return { ...runDocument(this.path, run, state), actions, has_logs: this.#hasLogs(id) };
  }

  /** The end of the log of a recorded command; undefined if there is none. */
  log(id: string, session: number, command: number): TextEnd | undefined {
    const found = this.#find(id);
    const isRecorded = (each: Readonly<{ session: number; n: number }>): boolean =>
      each.session === session && each.n === command;
    if (found === undefined || !recordedCommands(found).some(isRecorded)) return undefined;
    const isRemoved = isLogRemoved(this.path, id, { session, n: command });
    if (isRemoved) return { text: `[cli: ${REMOVED}]\n`, cut: false };
    if (isUnmasked(found, { session, n: command })) return { text: `[cli: ${NOT_MASKED}]\n`, cut: false };
    return readLogEnd(this.path, id, { session, n: command }, LOG_END);
  }

  /** Interrupts the process of a run, if it is certainly that of the record. */
  cancel(id: string): boolean {
    const header = this.#findFor(id, 'cancel')?.sessions.at(-1)?.header;
    return header !== undefined && interruptHolder(header);
  }

  /** The run that an action would start, or undefined if the state of the run does not allow it. */
  async preview(id: string, action: StartAction, choices: Choices): Promise<Preview | undefined> {
    const run = this.#findFor(id, action);
    return run && this.#actions.preview(run, action, choices);
  }

  /** Starts what was shown with a digest; undefined if the state of the run does not allow it. */
  async start(id: string, action: StartAction, choices: Choices, digest: string): Promise<Start | undefined> {
    const run = this.#findFor(id, action);
    return run && this.#actions.start(run, action, choices, digest);
  }

  /** Whether only another process can change the state of a run, which it records. */
  isSettled(id: string): boolean {
    const state = this.#read(id)?.entry.state;
    return state !== undefined && !MAY_RUN.has(state);
  }

  /** A text that changes with the record of a run, its logs, or the end of its process. */
  mark(id: string): string {
    const header = this.#known.get(id)?.header;
    const isAlive = header === undefined ? '' : stateOf(header);
    return `${this.#filesOf(join(this.path, id), SESSIONS)} ${this.#filesOf(logDirectory(this.path, id), /./)} ${isAlive}`;
  }

  #findFor(id: string, action: RunAction): RecordedRun | undefined {
    const run = this.#find(id);
    return run !== undefined && this.#note(run, '').entry.actions.includes(action) ? run : undefined;
  }

  #find(id: string): RecordedRun | undefined {
    return this.idOf(id) === id ? this.journal.read(id) : undefined;
  }

  /** Reads a run unless it is known and cannot have changed. Its files are noted before they are read. */
  #read(id: string): KnownRun | undefined {
    const mark = this.#filesOf(join(this.path, id), SESSIONS);
    const known = this.#known.get(id);
    if (known?.mark === mark && !MAY_RUN.has(known.entry.state)) return known;
    const run = this.journal.read(id);
    return run === undefined ? undefined : this.#note(run, mark);
  }

  #note(run: RecordedRun, mark: string): KnownRun {
    const entry = runEntry(run, runState(run));
    const header = run.sessions.at(-1)?.header;
    const more = { params: shownParams(header), ...commitOf(header) };
    const noted = { mark, header, entry: { ...entry, ...more, actions: this.#actionsOf(header, entry) } };
    this.#known.set(run.id, noted);
    return noted;
  }

  #actionsOf(header: SessionHeader | undefined, { state, foreign }: RunEntry): readonly RunAction[] {
    const isHere = header?.cwd === this.#directory;
    if (this.#readOnly || !isHere || foreign === true) return [];
    if (state === 'running' || state === 'waiting') return ['cancel'];
    return [...(RESUMABLE.has(state) ? ['resume' as const] : []), ...(UNSAFE.has(state) ? [] : ['again' as const])];
  }

  #hasLogs(id: string): boolean {
    return trySystemCall(() => lstatSync(logDirectory(this.path, id)).isDirectory()) === true;
  }

  #filesOf(directory: string, names: RegExp): string {
    const found = trySystemCall(() => readdirSync(directory).filter((name) => names.test(name)));
    if (typeof found === 'string') return found;
    const states = found.map((name) => {
      const stats = statSync(join(directory, name), { throwIfNoEntry: false });
      return `${name}:${stats?.size}:${stats?.mtimeMs}`;
    });
    return states.join();
  }
}
