/** A parsed reference and the offset after it, in UTF-16 units. */
type ParsedReference = Readonly<{ kind: 'reference'; step: string; key: string; fallback: string | null; end: number }>;

/** Text that begins like a reference but is none, and the offset after its recognised part. */
type BrokenReference = Readonly<{ kind: 'broken'; problem: 'malformed' | 'fallback'; end: number }>;

/** `${steps.NAME.KEY}` or `${steps.NAME.KEY:-`: NAME has no braces and control characters, KEY is a variable name. */
const HEAD = /\$\{steps\.([^{}\p{Cc}]+?)\.([A-Za-z_][A-Za-z0-9_]*)(?:\}|:-)/uy;

/** The text after `:-`: literal, up to the first closing brace. Also ends at `${`, which is not allowed in it. */
const FALLBACK = /[^$}]*(?:\$(?!\{)[^$}]*)*/y;

/** The beginning of a malformed reference, which is not valid in any shell either. */
const BROKEN = /\$\{[#!]?steps\.(?:[^{}\p{Cc}]*\}|[\w.-]*)/uy;

/** Whether a text can contain a reference at all. Most cannot. */
export function mayHoldReferences(text: string): boolean {
  return /\$\{(?:[#!]?steps|vars)\./.test(text);
}

/** A reference to a variable of an outer scope, and the offset after it. */
type ParsedVariable = Readonly<{ kind: 'variable'; name: string; fallback: string | null; end: number }>;

/** `${vars.NAME}` or `${vars.NAME:-`. */
const VARIABLE_HEAD = /\$\{vars\.([A-Za-z_][A-Za-z0-9_]*)(?:\}|:-)/y;

/** The beginning of a malformed reference to a variable. */
const BROKEN_VARIABLE = /\$\{vars\.(?:[^{}\p{Cc}]*\}|[\w.-]*)/uy;

/** Parses the reference to a variable at an offset, like `parseReference`. */
export function parseVariable(
  text: string,
  at: number,
): ParsedVariable | Readonly<{ kind: 'broken'; problem: 'malformed variable' | 'fallback'; end: number }> | undefined {
  VARIABLE_HEAD.lastIndex = at;
  const head = VARIABLE_HEAD.exec(text);
  if (head === null) {
    BROKEN_VARIABLE.lastIndex = at;
    if (!BROKEN_VARIABLE.test(text)) return undefined;
    return { kind: 'broken', problem: 'malformed variable', end: BROKEN_VARIABLE.lastIndex };
  }
  const [{ length }, name = ''] = head;
  const after = at + length;
  if (text.charAt(after - 1) === '}') return { kind: 'variable', name, fallback: null, end: after };
  const { fallback, end, isClosed } = readFallback(text, after);
  if (isClosed) return { kind: 'variable', name, fallback, end: end + 1 };
  return { kind: 'broken', problem: text.charAt(end) === '$' ? 'fallback' : 'malformed variable', end };
}

function readFallback(text: string, at: number): Readonly<{ fallback: string; end: number; isClosed: boolean }> {
  FALLBACK.lastIndex = at;
  const [fallback = ''] = FALLBACK.exec(text) ?? [];
  const end = at + fallback.length;
  return { fallback, end, isClosed: text.charAt(end) === '}' };
}

/**
 * Parses the reference at an offset. Returns undefined if the text there does not look like one. NAME is matched as
 * short as possible, so that a fallback may contain dots. A fallback with `${` is an error: the reference would end too
 * early.
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
  const { fallback, end, isClosed } = readFallback(text, after);
  if (isClosed) return { kind: 'reference', step, key, fallback, end: end + 1 };
  return { kind: 'broken', problem: text.charAt(end) === '$' ? 'fallback' : 'malformed', end };
}
