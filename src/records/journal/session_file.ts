import { parseLine, type ParsedLine, type SessionRecord, type SessionHeader } from './record.ts';

/** The content of a session's file. */
export type SessionContent = Readonly<{ header: SessionHeader; records: readonly SessionRecord[] }>;

/** The reason why a file cannot be read as a session. `line` counts from 1. `unreadable`: by the reason given. */
export type Damage = Readonly<
  | { kind: 'damaged' }
  | { kind: 'unreadable'; reason: string }
  | { kind: 'unknown kind'; name: string }
  | { kind: 'newer'; version: number }
> &
  Readonly<{ line: number }>;

/**
 * The readable part of a session. `content` is null without a header; `damage` is the first unreadable line.
 * `isHeadless`: there is no complete line.
 */
export type ReadSession = Readonly<{ content: SessionContent | null; damage: Damage | null; isHeadless: boolean }>;

/**
 * Parses the content of a session's file, which may be too large for one buffer. `onHeader` receives the header before
 * the rest is read.
 *
 * After a crash, the file may end in torn lines, lines of NULs, or a line without a line break. Those are ignored.
 * Before a record they are damage, because a crash leaves none there.
 */
export function readSession(
  chunks: Iterable<Uint8Array>,
  onHeader: (header: SessionHeader) => void = () => undefined,
): ReadSession {
  let header: SessionHeader | undefined;
  const records: SessionRecord[] = [];
  let line = 0;
  const upTo = (damage: Damage | null): ReadSession => ({
    content: header === undefined ? null : { header, records },
    damage,
    isHeadless: line === 0,
  });
  /** The first line that is not a record. */
  let torn: number | undefined;
  for (const bytes of linesOf(chunks)) {
    line += 1;
    const parsed = parseLine(bytes);
    if (parsed.kind === 'no record') {
      torn ??= line;
      continue;
    }
    if (torn !== undefined) return upTo({ kind: 'damaged', line: torn });
    const isFirst = line === 1;
    if (parsed.kind === 'header' && isFirst) {
      header = parsed.header;
      onHeader(header);
    } else if (parsed.kind === 'record' && !isFirst) records.push(parsed.record);
    else if (parsed.kind === 'boot' && header !== undefined) header = { ...header, boot: parsed.boot };
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
    case 'boot':
    case 'malformed':
      return { kind: 'damaged' } as const;
  }
}

/** The lines that end in a line break. */
function* linesOf(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  /** The parts of a line that has no end yet. */
  let parts: Uint8Array[] = [];
  for (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_BREAK); end >= 0; end = chunk.indexOf(LINE_BREAK, start)) {
      const rest = chunk.subarray(start, end);
      yield parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
}

const LINE_BREAK = 0x0a;
