import { memberOf, type JsonNode, type Member } from '../syntax/json_tree.ts';
import { parseJson } from '../syntax/json_parser.ts';
import { rangeOf, type SourceRange } from '../syntax/source_range.ts';
import type { LineIndex } from '../syntax/line_index.ts';
import type { Source } from './source.ts';

/** Whether a line of a file holds a secret. */
type LineTest = (line: number, span: SourceRange) => boolean;

/** Whether a text mentions the name of a secret. */
type Secrecy = Source['isSecret'];

/** In a file that does not parse, a line is secret if it, or one of this many lines above it, has a secret name. */
const LINES_ABOVE = 5;

/** A line, or these lines, with more characters than this counts as secret: searching megabytes would take a second. */
const SEARCH_LIMIT = 100_000;

/** Fields whose keys name workflows and variables. A secret name there is no secret value. */
const NAMING: ReadonlySet<string> = new Set(['workflows', 'include', 'inputs', 'secrets']);

/** A text that is one reference, without a literal text after `:-`. Anything else may be the value. */
const REFERENCE = /^\$\{(?:vars|steps\.[^{}:]+)\.[A-Za-z_]\w*\}$/;

/**
 * A name and a literal in a command: `TOKEN=abc`, `Authorization: Bearer abc`, `--password abc`. The name is not that of
 * an expansion, and a literal does not begin with one.
 */
const ASSIGNMENT = new RegExp(
  String.raw`(?<![\w${'$'}{-])(?:([\w-]+)(?:=(?!=)|:[ \t]*(?![A-Za-z]+[ \t]+["']?\$))|(--?[\w-]+)[ \t]+)` +
    String.raw`["']?(?![\s"'${'`'}$,;)\]}<|&=:-]|$)`,
  'g',
);

/** By the lines of the root file, because each diagnostic may be rendered on its own. */
const known = new WeakMap<LineIndex, IsSecretLine>();

/** Whether a line of a file, counted from 1, holds a secret or lies inside of one. */
type IsSecretLine = (lines: LineIndex, line: number, span: SourceRange) => boolean;

/** Finds the secret lines of the files of a source. */
export function secretLinesOf(source: Source): IsSecretLine {
  const found = known.get(source.lines) ?? createSearch(source);
  known.set(source.lines, found);
  return found;
}

/** Searches a file when its first line is asked for. */
function createSearch(source: Source): IsSecretLine {
  const tests = new Map<LineIndex, LineTest>();
  let declared: ReadonlySet<string> | undefined;
  const testOf = (lines: LineIndex): LineTest => {
    const { isSecret } = source;
    const tree = parseJson(lines.text, lines.base);
    if (tree === undefined) return byDistance(lines, isSecret);
    const names = (declared ??= declaredSecrets(source));
    return byLiterals(tree, lines, (name) => names.has(name) || isSecret(name));
  };
  return (lines, line, span) => {
    if (span.end - span.start > SEARCH_LIMIT) return true;
    const test = tests.get(lines) ?? testOf(lines);
    tests.set(lines, test);
    return test(line, span);
  };
}

/** The names of the inputs that any of the files declares as secret. */
function declaredSecrets({ lines, included }: Source): ReadonlySet<string> {
  const names = new Set<string>();
  const texts = new Set([lines.text, ...included.map((each) => each.lines.text)]);
  for (const text of texts) {
    const tree = /"secret"|\\u00/.test(text) ? parseJson(text, 0) : undefined;
    if (tree === undefined) continue;
    forEachMember(tree, '', (field, { key, value }) => {
      if (field === 'inputs' && memberOf(value, 'secret') !== undefined) names.add(key);
    });
  }
  return names;
}

/** In malformed JSON, only the distance shows which text belongs to a name. */
function byDistance(lines: LineIndex, isSecret: Secrecy): LineTest {
  return (line, { end }) => {
    const { start } = lines.span(Math.max(1, line - LINES_ABOVE));
    return end - start > SEARCH_LIMIT || isSecret(withoutEscapes(lines.slice(start, end)));
  };
}

function byLiterals(tree: JsonNode, lines: LineIndex, isSecret: Secrecy): LineTest {
  const literals: SourceRange[] = [];
  forEachMember(tree, '', (field, member) => {
    if (isLiteralSecret(field, member, isSecret)) literals.push({ start: member.start, end: member.value.end });
    if (field !== 'inputs' || !isSecret(member.key)) return;
    for (const name of ['default', 'options']) {
      const value = memberOf(member.value, name);
      if (value !== undefined) literals.push(rangeOf(value));
    }
  });
  return (_, { start, end }) => {
    if (literals.some((range) => range.start < end && range.end > start)) return true;
    const assignments = withoutEscapes(lines.slice(start, end)).matchAll(ASSIGNMENT);
    return [...assignments].some(([, name = '', flag = '']) => isSecret(name) || isSecret(flag));
  };
}

/** Calls a function with each member in a tree, and with the key of the object that it is in. */
function forEachMember(node: JsonNode, field: string, visit: (field: string, member: Member) => void): void {
  if (node.kind === 'array') for (const item of node.items) forEachMember(item, field, visit);
  if (node.kind !== 'object') return;
  for (const member of node.members) {
    visit(field, member);
    forEachMember(member.value, member.key, visit);
  }
}

/** Whether a member of the object in `field` has a secret name and a literal value. */
function isLiteralSecret(field: string, { key, value }: Member, isSecret: Secrecy): boolean {
  if (isNamedValue(value, isSecret)) return true;
  if (field === 'include' || !isSecret(key)) return false;
  // A key such as `TOKEN=abc` holds the value.
  if (!/^[\w-]*$/.test(key)) return true;
  switch (value.kind) {
    case 'string':
      return !(
        value.value === '' ||
        REFERENCE.test(value.value) ||
        (field === 'outputs' && value.value.startsWith('$'))
      );
    case 'number':
      return true;
    case 'object':
    case 'array':
      return !NAMING.has(field) && !NAMING.has(key);
    case 'boolean':
    case 'null':
      return false;
  }
}

/** Whether a node is or holds a variable in the format of other tools: `{ "name": "TOKEN", "value": "abc" }`. */
function isNamedValue(node: JsonNode, isSecret: Secrecy): boolean {
  if (node.kind === 'array') return node.items.some((item) => isNamedValue(item, isSecret));
  const name = memberOf(node, 'name');
  return name?.kind === 'string' && memberOf(node, 'value') !== undefined && isSecret(name.value);
}

/** JSON text with blanks for its escapes of blanks, and without the other backslashes. */
function withoutEscapes(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_, code: string | undefined, character: string) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return /[nrtbf]/.test(character) ? ' ' : character;
  });
}
