import type { ListedSecret } from '../ast.ts';
import type { Owner } from '../diagnostics/diagnostic.ts';
import type { VariableName } from '../schema/schema.ts';
import type { JsonNode } from '../syntax/json_tree.ts';
import { rangeOf } from '../syntax/source_range.ts';
import type { ShapeChecker } from './shape_checker.ts';

/**
 * Reads the names in the list of secrets beside a command, each once; undefined without any. Messages call the list
 * `shown`. The field of that name of a file is no list.
 */
export type ListReader = (node: JsonNode, shown: string, owner: Owner) => readonly ListedSecret[] | undefined;

export function createListReader(
  shapes: ShapeChecker,
  schema: Readonly<{ VariableName: typeof VariableName }>,
): ListReader {
  // Many steps list the same names, and a check takes longer than the rest.
  const valid = new Set<string>();
  return (node, shown, owner) => {
    if (node.kind !== 'array') return undefined;
    const listed = new Map<string, ListedSecret>();
    for (const [index, item] of node.items.entries()) {
      const isKnown = item.kind === 'string' && valid.has(item.value);
      const isName = isKnown || shapes.checkValue(item, schema.VariableName, `${shown}[${index}]`, owner);
      if (!isName || item.kind !== 'string') continue;
      valid.add(item.value);
      listed.set(item.value, { name: item.value, range: rangeOf(item) });
    }
    return listed.size === 0 ? undefined : [...listed.values()];
  };
}
