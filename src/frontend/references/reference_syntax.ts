/** The end of a reference: the text after `:-`, null without one, and the offset after it, in UTF-16 units. */
type Ending = Readonly<{ fallback: string | null; end: number }>;

/** Text that begins like a reference but is none, and the offset after its recognised part. */
type Broken<Malformed> = Readonly<{ kind: 'broken'; problem: Malformed | 'fallback'; end: number }>;

/** A kind of reference: its beginning, that of a malformed one, which is not valid in any shell either, and its problem. */
type Form<Malformed> = Readonly<{ head: RegExp; broken: RegExp; problem: Malformed }>;

/** `${steps.NAME.KEY}` or `${steps.NAME.KEY:-`: NAME has no braces and control characters, KEY is a variable name. */
const OUTPUT: Form<'malformed'> = {
  head: /\$\{steps\.([^{}\p{Cc}]+?)\.([A-Za-z_][A-Za-z0-9_]*)(?:\}|:-)/uy,
  broken: /\$\{[#!]?steps\.(?:[^{}\p{Cc}]*\}|[\w.-]*)/uy,
  problem: 'malformed',
};

/** `${vars.NAME}` or `${vars.NAME:-`. */
const VARIABLE: Form<'malformed variable'> = {
  head: /\$\{vars\.([A-Za-z_][A-Za-z0-9_]*)(?:\}|:-)/y,
  broken: /\$\{vars\.(?:[^{}\p{Cc}]*\}|[\w.-]*)/uy,
  problem: 'malformed variable',
};

/** The text after `:-`: literal, up to the first closing brace. Also ends at `${`, which is not allowed in it. */
const FALLBACK = /[^$}]*(?:\$(?!\{)[^$}]*)*/y;

/** Whether a text can contain a reference at all. Most cannot. */
export function mayHoldReferences(text: string): boolean {
  return /\$\{(?:[#!]?steps|vars)\./.test(text);
}

/**
 * Parses the reference to an output at an offset. Returns undefined if the text there does not look like one. NAME is
 * matched as short as possible, so that a fallback may contain dots. A fallback with `${` is an error: the reference
 * would end too early.
 */
export function parseReference(
  text: string,
  at: number,
): (Ending & Readonly<{ kind: 'reference'; step: string; key: string }>) | Broken<'malformed'> | undefined {
  return parse(text, at, OUTPUT, ([step = '', key = '']) => ({ kind: 'reference', step, key }) as const);
}

/** Parses the reference to a variable of an outer scope at an offset, like `parseReference`. */
export function parseVariable(
  text: string,
  at: number,
): (Ending & Readonly<{ kind: 'variable'; name: string }>) | Broken<'malformed variable'> | undefined {
  return parse(text, at, VARIABLE, ([name = '']) => ({ kind: 'variable', name }) as const);
}

function parse<Found extends object, Malformed>(
  text: string,
  at: number,
  { head, broken, problem }: Form<Malformed>,
  found: (names: readonly string[]) => Found,
): (Ending & Found) | Broken<Malformed> | undefined {
  head.lastIndex = at;
  const [whole, ...names] = head.exec(text) ?? [];
  if (whole === undefined) {
    broken.lastIndex = at;
    return broken.test(text) ? { kind: 'broken', problem, end: broken.lastIndex } : undefined;
  }
  const after = at + whole.length;
  if (text.charAt(after - 1) === '}') return { ...found(names), fallback: null, end: after };
  FALLBACK.lastIndex = after;
  const [fallback = ''] = FALLBACK.exec(text) ?? [];
  const end = after + fallback.length;
  if (text.charAt(end) === '}') return { ...found(names), fallback, end: end + 1 };
  return { kind: 'broken', problem: text.charAt(end) === '$' ? 'fallback' : problem, end };
}
