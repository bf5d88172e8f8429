import { type JsonNode, items, memberOf, stringOf } from '../../../../../frontend/syntax/json_tree.ts';
import { checkedStep, literalPatterns, type FileCheck } from '../../checked_step.ts';
import { attempt, LeftOut, type ImportedStep } from '../../imported.ts';
import type { JustValue } from './just_expressions.ts';

/**
 * The body of a recipe with the attribute `cache` as a step with files. Calls `drop` if the attribute has no counterpart:
 * it names no file, or one that a parameter changes.
 */
export function cachedBody(
  attributes: readonly JsonNode[],
  body: readonly ImportedStep[],
  valueOf: (expression: JsonNode | undefined) => JustValue,
  drop: () => void,
): readonly ImportedStep[] {
  const cache = attributes.map((each) => memberOf(each, 'cache')).find((each) => each !== undefined);
  if (cache === undefined || body.length === 0) return body;
  const check = attempt((): FileCheck => {
    const extra = memberOf(cache, 'extra');
    if (extra !== undefined && extra.kind !== 'null') fixedText(extra, valueOf);
    const [sources, generates] = ['inputs', 'outputs'].map((name) => paths(memberOf(cache, name), valueOf));
    if (sources === undefined || generates === undefined || sources.length + generates.length === 0)
      throw new LeftOut('it names no file');
    return { sources, generates };
  });
  const step = check instanceof LeftOut ? undefined : checkedStep(body, check);
  if (step === undefined) drop();
  return step === undefined ? body : [step];
}

function paths(
  expression: JsonNode | undefined,
  valueOf: (expression: JsonNode | undefined) => JustValue,
): string[] | undefined {
  if (expression === undefined || expression.kind === 'null') return [];
  const [operator, ...operands] = items(expression);
  const list = stringOf(operator) === 'list' ? operands : [expression];
  return literalPatterns(list.map((each) => fixedText(each, valueOf)));
}

function fixedText(expression: JsonNode, valueOf: (expression: JsonNode) => JustValue): string {
  const { text, isFixed } = valueOf(expression);
  if (!isFixed) throw new LeftOut('a parameter changes it');
  return text;
}
