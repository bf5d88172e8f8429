import { isAlias, isMap, isNode, isScalar, isSeq, type Alias, type YAMLMap, type YAMLSeq } from 'yaml';
import { syntaxMessage } from '../../../../../frontend/diagnostics/wording/syntax_message.ts';
import { DEPTH_LIMIT } from '../../../../../frontend/syntax/json_tree.ts';

/** The maximum length of what aliases repeat. Each value counts as 256 more: the time of an empty one. */
const MAX_REPEATED = 64 * 1024 * 1024;

/** The problem of a YAML text at an offset. */
export type YamlProblem = Readonly<{ offset: number; problem: string }>;

/** A value, with the number of levels in it and its length, if it shares no part with others. */
type Sized = Readonly<{ value: unknown; levels: number; length: number }>;

export function tooDeep(offset: number): YamlProblem {
  return { offset, problem: syntaxMessage('TooDeep', false) };
}

/**
 * The value of the contents of a document, or its first problem. Maps are `Map`, which keeps the order of keys such as
 * `10`.
 */
export function yamlValue(contents: unknown): Readonly<{ value: unknown }> | YamlProblem {
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
