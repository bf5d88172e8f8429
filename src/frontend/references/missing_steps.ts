import { EXIT_CODE } from '../../base/exit_code.ts';
import type { ErrorDetail, Owner } from '../diagnostics/diagnostic.ts';
import type { SourceRange } from '../syntax/source_range.ts';
import type { JsonNode } from '../syntax/json_tree.ts';
import type { StepReference } from './step_references.ts';

/** A text with references, and its place. */
export type ReferringText = Readonly<{
  text: Readonly<{ text: string; range: SourceRange; references: readonly StepReference[] }>;
  field: string;
  owner: Owner;
}>;

/** Reports an error at a place. */
type Fail = (detail: ErrorDetail, owner: Owner, range: SourceRange) => void;

/** The names of all steps in a syntax tree, valid or not, with all of their outputs. */
export function namedSteps(root: JsonNode, steps = new Map<string, Set<string>>()): Map<string, Set<string>> {
  const rest = [root];
  for (const node of rest) {
    if (node.kind === 'array') for (const item of node.items) rest.push(item);
    if (node.kind !== 'object') continue;
    const fields = new Map(node.members.map(({ key, value }) => [key, value] as const));
    const [name, outputs] = [fields.get('name'), fields.get('outputs')];
    if (name?.kind === 'string') {
      const known = steps.get(name.value) ?? new Set();
      if (outputs?.kind === 'object') for (const { key } of outputs.members) known.add(key);
      steps.set(name.value, known);
    }
    for (const value of fields.values()) rest.push(value);
  }
  return steps;
}

/**
 * Reports the references of an invalid file to steps or outputs that are nowhere in it. Whether the others can be
 * resolved is known as soon as the file is valid.
 */
export function checkNamedSteps(
  texts: readonly ReferringText[],
  steps: ReadonlyMap<string, Set<string>>,
  fail: Fail,
): void {
  for (const { text, field, owner } of texts) {
    for (const { step, key, start, end, range = text.range } of text.references) {
      const outputs = steps.get(step.replace(/ \(.*\)$/, '')) ?? steps.get(step);
      if (outputs?.has(key) === true || (key === EXIT_CODE && outputs !== undefined)) continue;
      const reference = text.text.slice(start, end);
      const found = { field, reference, step, key, steps, outputs, run: owner.workflow } as const;
      fail({ code: 'unresolved reference', isCalled: false, isSibling: false, ...found }, owner, range);
    }
  }
}
