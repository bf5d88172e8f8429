import { unreachable } from '../unreachable.ts';
import { parseLine, type ParsedLine, type SessionRecord, type SessionHeader } from './record.ts';

/** The content of a session's file. */
export type SessionContent = Readonly<{ header: SessionHeader; records: readonly SessionRecord[] }>;

/** The reason why a file cannot be read as a session. `line` counts from 1. */
export type Damage = Readonly<
  { kind: 'damaged' } | { kind: 'unknown kind'; name: string } | { kind: 'newer'; version: number }
> &
  Readonly<{ line: number }>;

/** The readable part of a session. `content` is null without a header; `damage` is the first unreadable line. */
export type ReadSession = Readonly<{ content: SessionContent | null; damage: Damage | null }>;

/**
 * Parses the content of a session's file.
 *
 * After a crash, the file may end in torn lines, lines of NULs, or a line without a line break. Those are ignored.
 * Before a record they are damage, because a crash leaves none there.
 */
export function readSession(bytes: Uint8Array): ReadSession {
  let header: SessionHeader | undefined;
  const records: SessionRecord[] = [];
  const upTo = (damage: Damage | null): ReadSession => ({
    content: header === undefined ? null : { header, records },
    damage,
  });
  /** The first line that is not a record. */
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
  // The file gets its name only after its first line is on disk.
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

/** The lines that end in a line break, parsed. */
function* parsedLines(bytes: Uint8Array): Generator<ParsedLine> {
  for (let start = 0, end = bytes.indexOf(LINE_BREAK); end >= 0; end = bytes.indexOf(LINE_BREAK, start)) {
    yield parseLine(bytes.subarray(start, end));
    start = end + 1;
  }
}

const LINE_BREAK = 0x0a;
