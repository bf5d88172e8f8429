import { Lexer, LineCounter, parseDocument, Parser, isAlias, isMap, isNode, isScalar, isSeq } from 'yaml';
import type { Alias, YAMLMap, YAMLSeq } from 'yaml';
import { DEPTH_LIMIT } from '../../../../../frontend/syntax/json_tree.ts';
import { redactPath } from '../../../../command_line/redact.ts';
import { failure, type Result } from '../../../../../base/result.ts';
import type { Message } from '../../../../output/messages/message.ts';
import type { Imported } from '../../imported.ts';
import { importTaskfile } from './taskfile.ts';
import { syntaxMessage } from '../../../../../frontend/diagnostics/wording/syntax_message.ts';

/** The maximum length of what aliases repeat. Each value counts as 256 more: the time of an empty one. */
const MAX_REPEATED = 64 * 1024 * 1024;

/** The problem of a YAML text at an offset. */
type YamlProblem = Readonly<{ offset: number; problem: string }>;

/** A value, with the number of levels in it and its length, if it shares no part with others. */
type Sized = Readonly<{ value: unknown; levels: number; length: number }>;

function tooDeep(offset: number): YamlProblem {
  return { offset, problem: syntaxMessage('TooDeep', false) };
}

/**
 * The value of the contents of a document, or its first problem. Maps are `Map`, which keeps the order of keys such as
 * `10`.
 */
function yamlValue(contents: unknown): Readonly<{ value: unknown }> | YamlProblem {
  const values = new YamlValues();
  const { value } = values.of(contents, 0);
  return values.problem ?? { value };
}

const EMPTY: Sized = { value: null, levels: 0, length: 256 };

class YamlValues {
  problem: YamlProblem | undefined;
  /** The values of anchors; undefined inside of the value. */
  readonly #anchors = new Map<string, Sized | undefined>();
  #repeated = 0;

  /** The value of a node inside of some others; an empty one after a problem. */
  of(node: unknown, depth: number): Sized {
    if (this.problem !== undefined) return EMPTY;
    if (isAlias(node)) return this.#aliased(node, depth);
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return EMPTY;
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, undefined);
    const found = isScalar(node)
      ? { value: node.value, levels: 0, length: EMPTY.length + (node.source ?? '').length }
      : this.#collection(node, depth + 1);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, found);
    return found;
  }

  #collection(node: YAMLMap | YAMLSeq, depth: number): Sized {
    if (depth > DEPTH_LIMIT) this.#fail(tooDeep(offsetOf(node)));
    let { levels, length } = EMPTY;
    const inner = (child: unknown): unknown => {
      const found = this.of(child, depth);
      levels = Math.max(levels, found.levels);
      length += found.length;
      return found.value;
    };
    if (!isMap(node)) return { value: node.items.map(inner), levels: levels + 1, length };
    const value = new Map<unknown, unknown>();
    for (const pair of node.items) {
      const key = inner(pair.key);
      if (value.has(key)) this.#fail({ offset: offsetOf(pair.key), problem: 'Map keys must be unique' });
      value.set(key, inner(pair.value));
    }
    return { value, levels: levels + 1, length };
  }

  #aliased(node: Alias, depth: number): Sized {
    const { source } = node;
    const found = this.#anchors.get(source);
    if (found === undefined) {
      const isInside = this.#anchors.has(source);
      return this.#fail({
        offset: offsetOf(node),
        problem: isInside
          ? `the alias '*${source}' contains itself`
          : `no anchor '&${source}' stands before this alias`,
      });
    }
    this.#repeated += found.length;
    if (depth + found.levels > DEPTH_LIMIT) return this.#fail(tooDeep(offsetOf(node)));
    if (this.#repeated <= MAX_REPEATED) return found;
    return this.#fail({ offset: offsetOf(node), problem: 'the aliases expand to more than 64 MiB' });
  }

  #fail(problem: YamlProblem): Sized {
    this.problem ??= problem;
    return EMPTY;
  }
}

function offsetOf(node: unknown): number {
  return (isNode(node) ? node.range?.[0] : undefined) ?? 0;
}

/** Converts the tasks of a Taskfile. */
export function importYaml(path: string, text: string): Result<Imported, Message> {
  const lines = new LineCounter();
  const read = readYaml(text, lines);
  if (!('problem' in read)) return { ok: true, value: importTaskfile(path, read.value) };
  const { line, col } = lines.linePos(read.offset);
  const problem = `${redactPath(path)}:${line}:${col}: error: ${read.problem}`;
  return failure({ kind: 'lines', prefix: '', lines: [problem] });
}

/** The value of a text, or its first problem. `lines` gets the starts of the lines. */
function readYaml(text: string, lines: LineCounter): Readonly<{ value: unknown }> | YamlProblem {
  const deep = deepOffset(text, lines);
  if (deep !== undefined) return tooDeep(deep);
  // The parser compares each key with all others, `yamlValue` does not.
  const { contents, errors } = parseDocument(text, { prettyErrors: false, uniqueKeys: false });
  const [error] = errors;
  return error === undefined ? yamlValue(contents) : { offset: error.pos[0], problem: error.message };
}

/** Where a text is too deep for `parseDocument`, which recurses. The parser of tokens does not. */
function deepOffset(text: string, lines: LineCounter): number | undefined {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    const { offset } = parser;
    // A generator, which does nothing until it is read.
    Array.from(parser.next(lexeme));
    // The first is the document, the last may be a scalar.
    const last = parser.stack.at(-1);
    if (parser.stack.length > DEPTH_LIMIT + 1 && last !== undefined && 'items' in last) return offset;
  }
  return undefined;
}
