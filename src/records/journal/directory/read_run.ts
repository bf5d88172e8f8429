import { closeSync, fstatSync, lstatSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { openOwn } from '../../../backend/system/regular_file.ts';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import type { HolderStateOf } from '../holder/holder.ts';
import { endOf, type RecordedRun } from '../journal.ts';
import { readSession, type Damage, type ReadSession, type SessionContent } from '../session_file.ts';
import { lostName, sessionName } from './directory_session.ts';
import { isOwn, type Trust } from './entries.ts';

/** The maximum size of the files of all sessions in a foreign record, in bytes. */
const FOREIGN_SIZE = 64 * 1024 * 1024;

/** The size of a read, in bytes. */
const CHUNK = 262_144;

/** The size of a buffer that Node.js takes from its pool, in bytes. */
const SMALL = 1024;

/**
 * Reads the record of a run. Undefined if there is none.
 *
 * A process can record its end and exit after its record has been read and before the process is looked for. The record
 * of a process that has ended is therefore read again. Another process can have begun a session meanwhile.
 */
export function readRun(directory: string, id: string, trust: Trust, stateOf: HolderStateOf): RecordedRun | undefined {
  let run = readOnce(directory, id, trust, stateOf);
  for (let known = 0; run?.holder === 'dead' && run.sessions.length !== known;) {
    known = run.sessions.length;
    run = readOnce(directory, id, trust, stateOf);
  }
  return run;
}

function unreadable(reason: string): Damage {
  return { kind: 'unreadable', reason, line: 1 };
}

/** The key of an entry. An exception for each missing one would take a tenth of the time of a long list. */
function keyAt(path: string): string | undefined {
  const key = trySystemCall(() => {
    return { text: lstatSync(path, { throwIfNoEntry: false }) && readlinkSync(path) };
  });
  return typeof key === 'object' ? key.text : undefined;
}

function readOnce(directory: string, id: string, trust: Trust, stateOf: HolderStateOf): RecordedRun | undefined {
  const own = join(directory, id);
  const sessions: SessionContent[] = [];
  let lost = false;
  /** The number of bytes read. */
  let total = 0;
  /** The reason why the last file could not be read to its end. */
  let problem: string | undefined;

  const { entries } = trust;
  const entryKey = entries === undefined ? undefined : keyAt(join(entries, id));
  let isForeign = entryKey === undefined;

  /** A record is foreign if any part of it belongs to another user. */
  function notice(stats: Readonly<{ uid: number }>): void {
    isForeign ||= !isOwn(stats);
  }

  function damaged(file: string, damage: Damage): RecordedRun {
    return { ...run(), damage: { ...damage, file } };
  }

  function run(): RecordedRun {
    const foreign = isForeign && !trust.all;
    const last = sessions.at(-1);
    const holder = last === undefined || endOf(last) !== undefined ? null : stateOf(last.header);
    return { id, sessions, lost, damage: null, foreign, holder };
  }

  function readFile(path: string): ReadSession {
    const descriptor = openOwn(path);
    if (typeof descriptor === 'string') return { content: null, damage: unreadable(descriptor), isHeadless: false };
    const stats = fstatSync(descriptor);
    notice(stats);
    try {
      // The key decides before the rest of the file is read.
      const read = readSession(chunks(descriptor, stats.size), ({ key, session }) => {
        if (session === 1) isForeign ||= key !== entryKey;
      });
      return { ...read, damage: problem === undefined ? read.damage : unreadable(problem) };
    } finally {
      closeSync(descriptor);
    }
  }

  /** The bytes of a file of a size, which may grow. Ends early, with a problem, at an error or if a foreign record is too large. */
  function* chunks(descriptor: number, fileSize: number): Generator<Uint8Array> {
    problem = undefined;
    for (let size = Math.min(fileSize + 1, CHUNK); ;) {
      const buffer = Buffer.allocUnsafe(size);
      const read = trySystemCall(() => readSync(descriptor, buffer));
      if (typeof read === 'string') problem = read;
      else {
        total += read;
        if (total > FOREIGN_SIZE && isForeign && !trust.all) problem = TOO_LARGE;
      }
      if (typeof read === 'string' || read === 0 || problem !== undefined) return;
      yield buffer.subarray(0, read);
      // After the last bytes, a small buffer suffices: large ones would take most of the time of a long list.
      size = read < size ? SMALL : CHUNK;
    }
  }

  const stats = trySystemCall(() => lstatSync(own));
  if (typeof stats === 'string') return undefined;
  notice(stats);
  if (!stats.isDirectory()) return damaged(own, unreadable('it is not a directory'));
  const names = trySystemCall(() => readdirSync(own));
  if (typeof names === 'string') return damaged(own, unreadable(names));
  const present = new Set(names);
  const numbers = names.flatMap((name) => /^session-([1-9]\d*)\.(?:ndjson|lost)$/.exec(name)?.[1] ?? []);
  const last = numbers.reduce((highest, number) => Math.max(highest, Number(number)), 0);
  for (let number = 1; number <= last; number += 1) {
    const isLost = present.has(lostName(number));
    lost ||= isLost;
    const file = join(own, isLost ? lostName(number) : sessionName(number));
    const { content, damage, isHeadless } = readFile(file);
    if (isHeadless && !isLost && number === last) return number === 1 ? undefined : run();
    if (content !== null) sessions.push(content);
    const isWrong = content !== null && (content.header.session !== number || content.header.run !== id);
    // The file of an abandoned session may be empty or incomplete.
    if (isWrong || (!isLost && damage !== null)) return damaged(file, damage ?? { kind: 'damaged', line: 1 });
  }
  return last === 0 ? undefined : run();
}

const TOO_LARGE = 'the record has more than 64 MiB';
