/** What a reference means, and the offset (in UTF-16 units) after it. */
type ParsedReference = Readonly<{ kind: 'reference'; step: string; key: string; fallback: string | null; end: number }>;

/** Text that only a reference begins like, and the offset after the part of it that is certain. */
type BrokenReference = Readonly<{ kind: 'broken'; problem: 'malformed' | 'fallback'; end: number }>;

/** `${steps.NAME.KEY}` or `${steps.NAME.KEY:-`: NAME has no braces and control characters, KEY is a variable name. */
const HEAD = /\$\{steps\.([^{}\p{Cc}]+?)\.([A-Za-z_][A-Za-z0-9_]*)(?:\}|:-)/uy;

/** The text after `:-`: literal, up to the first closing brace. It ends at `${` too, where it cannot go on. */
const FALLBACK = /[^$}]*(?:\$(?!\{)[^$}]*)*/y;

/** The beginning of a reference that no shell knows either. */
const BROKEN = /\$\{[#!]?steps\.(?:[^{}\p{Cc}]*\}|[\w.-]*)/uy;

/** Whether a text can hold a reference at all: most cannot. */
export function mayHoldReferences(text: string): boolean {
  return /\$\{[#!]?steps\./.test(text);
}

/**
 * Reads the reference at an offset; undefined if nothing there looks like one. NAME is as short as possible, so that a
 * fallback may hold dots. A fallback with `${` in it is refused: it would end in the middle of what was meant.
 */
export function parseReference(text: string, at: number): ParsedReference | BrokenReference | undefined {
  HEAD.lastIndex = at;
  const head = HEAD.exec(text);
  if (head === null) {
    BROKEN.lastIndex = at;
    return BROKEN.test(text) ? { kind: 'broken', problem: 'malformed', end: BROKEN.lastIndex } : undefined;
  }
  const [{ length }, step = '', key = ''] = head;
  const after = at + length;
  if (text.charAt(after - 1) === '}') return { kind: 'reference', step, key, fallback: null, end: after };
  FALLBACK.lastIndex = after;
  const [fallback = ''] = FALLBACK.exec(text) ?? [];
  const end = after + fallback.length;
  if (text.charAt(end) === '}') return { kind: 'reference', step, key, fallback, end: end + 1 };
  return { kind: 'broken', problem: text.charAt(end) === '$' ? 'fallback' : 'malformed', end };
}
