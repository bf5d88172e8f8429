import type { SourceText, Variables } from '../ast.ts';
import { type Owner, redactKey } from '../diagnostics/diagnostic.ts';
import { PlainText } from '../schema/schema.ts';
import type { Member } from '../syntax/json_tree.ts';
import { rangeOf } from '../syntax/source_range.ts';
import type { TextChecker } from './text_checker.ts';

export const NO_VARIABLES: Variables = new Map();

/** The valid variables of a field. */
export function variablesOf(texts: TextChecker, field: Member | undefined, owner: Owner): Variables {
  if (field?.value.kind !== 'object') return NO_VARIABLES;
  const variables = new Map<string, SourceText>();
  for (const member of texts.shapes.uniqueMembers(field.value, owner)) {
    const value = member.key.startsWith('x-') ? undefined : variableOf(texts, member, field.key, owner);
    if (value !== undefined) variables.set(member.key, value);
  }
  return variables;
}

function variableOf(texts: TextChecker, member: Member, field: string, owner: Owner): SourceText | undefined {
  const { key, value } = member;
  const name = `${field}.${redactKey(key)}`;
  texts.shapes.warnOfField(member, field, owner);
  const isNamed = texts.shapes.checkVariableName(member, field, owner);
  const isText = texts.shapes.checkValue(value, PlainText, name, owner);
  if (!isNamed || !isText || value.kind !== 'string') return undefined;
  return texts.valueText(value.value, rangeOf(value), name, owner);
}
