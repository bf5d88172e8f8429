import type { Matrix, SourceText, Variables } from '../ast.ts';
import { redactKey, type MatrixProblem, type Owner } from '../diagnostics/diagnostic.ts';
import type { JsonNode, Member } from '../syntax/json_tree.ts';
import { rangeOf } from '../syntax/source_range.ts';
import type { TextChecker } from './text_checker.ts';

/** The valid variables of a field; null if the field is absent. `own` are the variables of the step's `with`. */
export function matrixOf(texts: TextChecker, field: Member | undefined, own: Variables, owner: Owner): Matrix | null {
  if (field?.value.kind !== 'object') return null;
  const matrix = new Map<string, readonly SourceText[]>();
  for (const member of texts.shapes.uniqueMembers(field.value, owner)) {
    const { key, value, range } = member;
    if (key.startsWith('x-')) continue;
    const name = `matrix.${redactKey(key)}`;
    texts.shapes.warnOfField(member, 'matrix', owner);
    const isNamed = texts.shapes.checkVariableName(member, 'matrix', owner);
    const values = valuesOf(texts, value, name, owner);
    if (own.has(key)) fail(texts, 'in with', name, owner, range);
    else if (isNamed && values !== undefined) matrix.set(key, values);
  }
  const isEmpty = field.value.members.every(({ key }) => key.startsWith('x-'));
  if (isEmpty) fail(texts, 'no variables', 'matrix', owner, rangeOf(field.value));
  return matrix;
}

function valuesOf(texts: TextChecker, node: JsonNode, field: string, owner: Owner): readonly SourceText[] | undefined {
  if (node.kind !== 'array') {
    texts.shapes.failRule(node, 'an array', `'${field}'`, owner);
    return undefined;
  }
  if (node.items.length === 0) fail(texts, 'no values', field, owner, rangeOf(node));
  const seen = new Set<string>();
  return texts.shapes.texts(node, `each value of '${field}'`, owner).map((item) => {
    if (seen.size === seen.add(item.value).size) fail(texts, 'equal values', field, owner, rangeOf(item));
    return texts.valueText(item.value, rangeOf(item), field, owner);
  });
}

function fail(
  texts: TextChecker,
  problem: MatrixProblem,
  field: string,
  owner: Owner,
  range: ReturnType<typeof rangeOf>,
): void {
  texts.shapes.diagnostics.fail({ code: 'bad matrix', field, problem }, owner, range);
}
