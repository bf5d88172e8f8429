import { unreachable } from '../unreachable.ts';
import { parseLine, type ParsedLine, type SessionRecord, type SessionHeader } from './record.ts';

/** What the file of a session holds. */
export type SessionContent = Readonly<{ header: SessionHeader; records: readonly SessionRecord[] }>;

/** Why a file cannot be read as a session; `line` counts from 1. */
export type Damage = Readonly<
  { kind: 'damaged' } | { kind: 'unknown kind'; name: string } | { kind: 'newer'; version: number }
> &
  Readonly<{ line: number }>;

/** A session as far as it can be read: `content` is null without a header, `damage` is where it became unreadable. */
export type ReadSession = Readonly<{ content: SessionContent | null; damage: Damage | null }>;

/**
 * Reads the bytes of a session's file.
 *
 * A crash may leave lines at its end that are torn or hold NULs, and a last one without a line break: they are no
 * records. With a record behind them they are damage, because a crash writes none there.
 */
export function readSession(bytes: Uint8Array): ReadSession {
  let header: SessionHeader | undefined;
  const records: SessionRecord[] = [];
  const upTo = (damage: Damage | null): ReadSession => ({
    content: header === undefined ? null : { header, records },
    damage,
  });
  /** The first line that is no record. */
  let torn: number | undefined;
  let line = 0;
  for (const parsed of parsedLines(bytes)) {
    line += 1;
    if (parsed.kind === 'no record') {
      torn ??= line;
      continue;
    }
    if (torn !== undefined) return upTo({ kind: 'damaged', line: torn });
    const isFirst = line === 1;
    if (parsed.kind === 'header' && isFirst) header = parsed.header;
    else if (parsed.kind === 'record' && !isFirst) records.push(parsed.record);
    else return upTo({ ...damageOf(parsed), line });
  }
  // A file gets its name when its first line has reached the disk.
  return upTo(header === undefined ? { kind: 'damaged', line: 1 } : null);
}

function damageOf(line: Exclude<ParsedLine, { kind: 'no record' }>) {
  switch (line.kind) {
    case 'newer':
      return { kind: 'newer', version: line.version } as const;
    case 'unknown kind':
      return { kind: 'unknown kind', name: line.name } as const;
    case 'header':
    case 'record':
    case 'malformed':
      return { kind: 'damaged' } as const;
    default:
      return unreachable(line);
  }
}

/** The lines that end in a line break. */
function* parsedLines(bytes: Uint8Array): Generator<ParsedLine> {
  for (let start = 0, end = bytes.indexOf(LINE_BREAK); end >= 0; end = bytes.indexOf(LINE_BREAK, start)) {
    yield parseLine(bytes.subarray(start, end));
    start = end + 1;
  }
}

const LINE_BREAK = 0x0a;
