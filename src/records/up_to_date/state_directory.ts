import { randomBytes } from 'node:crypto';
import {
  existsSync,
  closeSync,
  fdatasyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
} from 'node:fs';
import { renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openOwn, readWhole } from '../../backend/system/regular_file.ts';
import { saysMissing, trySystemCall } from '../../backend/system/try_system_call.ts';
import { write } from '../../backend/system/write.ts';
import { doneUnless } from '../journal/directory/done_unless.ts';
import { addEntry, isOwn, stateDirectory, type Environment } from '../journal/directory/entries.ts';
import { readRecord, recordText, type StepRecord } from './step_record.ts';

/** The directory of records, beside that of runs. */
export const DIRECTORY = '.cli/state';

/** The file with the id of the directory and its key. */
const KEY = 'key';

/** The state of a directory of this user whose key is none, for example because the disk was full. */
const DAMAGED = 'has a damaged key';

/** The maximum size of the key and of a record, in bytes. */
const [MAX_KEY, MAX_RECORD] = [1024, 256 * 1024 * 1024];

/** The number of records that are kept, of one step and in all. */
const [OF_STEP, IN_ALL] = [10, 1000];

/** The record of a step: the digest of the step, and that of the values with which it ran. */
export type RecordName = Readonly<{ step: string; values: string }>;

/**
 * The records of steps in the current directory. They are this user's if a key among them and an entry in the directory for
 * the user's state agree; others are neither read nor written.
 */
export class StateDirectory {
  readonly #env: Environment;
  readonly #warn: (message: string) => void;
  #isUsed: boolean | undefined;
  /** The records are none, because the key is damaged. */
  #isDamaged = false;
  #hasWarned = false;

  constructor(env: Environment, warn: (message: string) => void) {
    this.#env = env;
    this.#warn = warn;
  }

  read(name: RecordName): StepRecord | undefined {
    if (!this.#mayRead()) return undefined;
    return recordAt(pathOf(name));
  }

  /** A text that changes when a record is written; empty if there is none. */
  versionOf(name: RecordName): string {
    const found = trySystemCall(() => ({ stats: statSync(pathOf(name)) }));
    return typeof found === 'string' ? '' : `${found.stats.ino} ${found.stats.mtimeMs} ${found.stats.size}`;
  }

  /** The newest record of a step. */
  newest({ step }: RecordName): StepRecord | undefined {
    const [name] = this.#mayRead() ? this.#records(step) : [];
    return name === undefined ? undefined : recordAt(join(DIRECTORY, name));
  }

  /** Removes a record. Returns false if it may still be there. */
  remove(name: RecordName): boolean {
    if (!this.#mayRead()) return true;
    const problem = trySystemCall(() => unlinkSync(pathOf(name)));
    if (problem === undefined || saysMissing(problem)) return true;
    this.fail(problem);
    return false;
  }

  write(name: RecordName, record: StepRecord): void {
    if (!this.isWritable()) return;
    const problem = trySystemCall(() => {
      const failed = writeWhole(pathOf(name), recordText(record));
      if (failed === undefined) this.#prune(name);
      return failed;
    });
    if (problem !== undefined) this.fail(problem);
  }

  /** Whether records can be written. Creates the directory if it is missing. */
  isWritable(): boolean {
    if (this.#isUsed === false || !(this.#mayRead() || this.#isDamaged)) return false;
    // A step may have removed it.
    if (this.#isUsed === true && existsSync(DIRECTORY)) return true;
    const problem = trySystemCall(() => this.#create());
    this.#isUsed = problem === undefined;
    if (problem !== undefined) this.fail(problem);
    return this.#isUsed;
  }

  /** Whether what is in the directory, if anything, is this user's. */
  #mayRead(): boolean {
    if (this.#isUsed !== undefined) return this.#isUsed;
    const state = trySystemCall(() => stateOf(this.#env));
    if (state === 'none') return true;
    this.#isDamaged = state === DAMAGED;
    if (this.#isDamaged) {
      this.#warnOnce(`the key of ${DIRECTORY} is empty or damaged; it is replaced, and steps run once`);
      return false;
    }
    this.#isUsed = state === 'own';
    if (!this.#isUsed)
      this.#warnOnce(`${DIRECTORY} ${state}; it is not used, and steps run (to use it, set CLI_TRUST_RECORDS)`);
    return this.#isUsed;
  }

  #create(): string | undefined {
    mkdirSync(DIRECTORY, { recursive: true, mode: 0o700 });
    doneUnless('EEXIST', () => writeFileSync(join(DIRECTORY, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }));
    if (this.#isDamaged) {
      const records = readdirSync(DIRECTORY).filter((name) => /^[0-9a-f]+-[0-9a-f]+\.json/.test(name));
      for (const name of records) unlinkSync(join(DIRECTORY, name));
      this.#isDamaged = false;
    }
    const id = randomBytes(8).toString('hex');
    const added = addEntry(stateDirectory(this.#env, 'state'), id);
    if (added.kind !== 'added') return "the directory for the user's state cannot be written";
    return writeWhole(join(DIRECTORY, KEY), `${id} ${added.key}\n`);
  }

  /** The records of a step, newest first. */
  #records(step: string): readonly string[] {
    const names = trySystemCall(() => ({ all: readdirSync(DIRECTORY) }));
    return typeof names === 'string' ? [] : newestFirst(names.all.filter((name) => name.startsWith(`${step}-`)));
  }

  #prune({ step, values }: RecordName): void {
    const names = readdirSync(DIRECTORY);
    const all = names.filter((name) => name.endsWith('.json'));
    const own = all.filter((name) => name.startsWith(`${step}-`));
    const old = own.length > OF_STEP ? newestFirst(own).slice(OF_STEP) : [];
    const rest = all.length - old.length > IN_ALL ? newestFirst(all).slice(IN_ALL) : [];
    // Of processes that were killed while they wrote: this one has the lock of the record.
    const unfinished = names.filter((name) => name.startsWith(`${step}-${values}.json.`));
    for (const name of [...old, ...rest, ...unfinished]) trySystemCall(() => unlinkSync(join(DIRECTORY, name)));
  }

  /** Warns that records cannot be written, with the system's message. */
  fail(problem: string): void {
    this.#warnOnce(`the state of this run is not kept: ${problem}`);
  }

  #warnOnce(message: string): void {
    if (!this.#hasWarned) this.#warn(message);
    this.#hasWarned = true;
  }
}

function pathOf({ step, values }: RecordName): string {
  return join(DIRECTORY, `${step}-${values}.json`);
}

/** A record; undefined if there is none, or if it is damaged. */
function recordAt(path: string): StepRecord | undefined {
  const text = readWhole(openOwn(path), MAX_RECORD);
  return typeof text === 'string' ? undefined : readRecord(text.toString());
}

function newestFirst(names: readonly string[]): readonly string[] {
  const times = names.map((name) => {
    const time = trySystemCall(() => ({ ms: statSync(join(DIRECTORY, name)).mtimeMs }));
    return { name, ms: typeof time === 'string' ? 0 : time.ms };
  });
  return times.toSorted((one, other) => other.ms - one.ms).map(({ name }) => name);
}

/** Writes a file that is complete or absent, also after a crash. Returns the system's message on failure. */
function writeWhole(path: string, text: string): string | undefined {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const descriptor = openSync(temporary, 'wx', 0o600);
  try {
    const problem = write(descriptor, [text]);
    if (problem === undefined) {
      fdatasyncSync(descriptor);
      renameSync(temporary, path);
    } else unlinkSync(temporary);
    return problem;
  } finally {
    closeSync(descriptor);
  }
}

/** Whether the directory is this user's, missing or empty, or the reason why it is not used. */
function stateOf(env: Environment): string {
  const stats = lstatSync(DIRECTORY, { throwIfNoEntry: false });
  if (stats === undefined) return 'none';
  if (stats.isSymbolicLink()) return 'is a symbolic link, which is not followed';
  if (!stats.isDirectory()) return 'is no directory';
  if (env['CLI_TRUST_RECORDS']) return 'own';
  if (!isOwn(stats)) return 'belongs to another user';
  const names = readdirSync(DIRECTORY).filter((name) => name !== '.gitignore');
  if (names.length === 0) return 'none';
  const key = readWhole(openOwn(join(DIRECTORY, KEY)), MAX_KEY);
  const [, id, secret] = /^([0-9a-f]{16}) ([0-9a-f]{32})\n$/.exec(key.toString()) ?? [];
  if (typeof key !== 'string' && id === undefined) return DAMAGED;
  const entries = stateDirectory(env, 'state');
  const entry = id === undefined || entries === undefined ? '' : trySystemCall(() => readlinkSync(join(entries, id)));
  return secret !== undefined && entry === secret ? 'own' : 'was not written by this user on this machine';
}
