import type { SourceText, Variables } from '../ast.ts';
import { type Owner, redactKey } from '../diagnostics/diagnostic.ts';
import { PlainText } from '../schema/schema.ts';
import type { Member, TextNode } from '../syntax/json_tree.ts';
import { rangeOf } from '../syntax/source_range.ts';
import type { ShapeChecker } from './shape_checker.ts';
import type { TextChecker } from './text_checker.ts';

export const NO_VARIABLES: Variables = new Map();

/** Checks the variables of `env` and `with` fields. */
export class VariableChecker {
  readonly #shapes: ShapeChecker;
  readonly #texts: TextChecker;

  constructor(shapes: ShapeChecker, texts: TextChecker) {
    this.#shapes = shapes;
    this.#texts = texts;
  }

  /** The valid variables of a field. */
  variables(field: Member | undefined, owner: Owner): Variables {
    if (field?.value.kind !== 'object') return NO_VARIABLES;
    const variables = new Map<string, SourceText>();
    for (const member of this.#shapes.uniqueMembers(field.value, owner)) {
      const value = member.key.startsWith('x-') ? undefined : this.#value(member, field.key, owner);
      if (value !== undefined) variables.set(member.key, value);
    }
    return variables;
  }

  #value(member: Member, field: string, owner: Owner): SourceText | undefined {
    const { key, value } = member;
    const name = `${field}.${redactKey(key)}`;
    this.#shapes.warnOfField(member, field, owner);
    const isNamed = this.#shapes.checkVariableName(member, field, owner);
    const isText = this.#shapes.checkValue(value, PlainText, name, owner);
    if (!isNamed || !isText || value.kind !== 'string') return undefined;
    return this.value(value, name, owner);
  }

  /** The value of a variable. */
  value(node: TextNode, name: string, owner: Owner): SourceText {
    return this.#texts.valueText(node.value, rangeOf(node), name, owner);
  }
}
