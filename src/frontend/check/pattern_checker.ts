import type { SourceText, StepCheck } from '../ast.ts';
import { PATTERN_LIMIT } from '../../base/pattern_limit.ts';
import type { Owner, PatternProblem } from '../diagnostics/diagnostic.ts';
import { FilePath } from '../schema/schema.ts';
import type { Member } from '../syntax/json_tree.ts';
import { rangeOf } from '../syntax/source_range.ts';
import type { Members } from './shape_checker.ts';
import type { TextChecker } from './text_checker.ts';

/** The patterns of a step with a command; null for a step without `sources`. */
export function checkOf(texts: TextChecker, members: Members, owner: Owner): StepCheck | null {
  if (!members.has('run')) return null;
  const [given, made] = [members.get('sources'), members.get('generates')];
  if (given === undefined && made !== undefined) fail(texts, 'generates', 'without sources', owner, made);
  const [sources, generates] = [
    patternsOf(texts, given, 'sources', owner),
    patternsOf(texts, made, 'generates', owner),
  ];
  if (given === undefined) return null;
  const isEmpty = given.value.kind === 'array' && given.value.items.length === 0;
  const makesNone = made === undefined || (made.value.kind === 'array' && made.value.items.length === 0);
  if (isEmpty && makesNone) fail(texts, 'sources', 'no files', owner, given);
  return { sources, generates };
}

function patternsOf(
  texts: TextChecker,
  member: Member | undefined,
  field: string,
  owner: Owner,
): readonly SourceText[] {
  const items = member?.value.kind === 'array' ? member.value.items : [];
  return items.flatMap((node, index): SourceText[] => {
    const shown = `${field}[${index}]`;
    if (!texts.shapes.checkValue(node, FilePath, shown, owner) || node.kind !== 'string') return [];
    const { value } = node;
    if (/^!?$/.test(value)) texts.shapes.failRule(node, 'not empty', `'${shown}'`, owner);
    else if (index === 0 && value.startsWith('!'))
      fail(texts, shown, 'excludes first', owner, { range: rangeOf(node) });
    else if (value.length > PATTERN_LIMIT) fail(texts, shown, 'too long', owner, { range: rangeOf(node) });
    if (!value.includes('${steps.')) return [texts.valueText(value, rangeOf(node), shown, owner)];
    fail(texts, shown, 'output', owner, { range: rangeOf(node) });
    return [];
  });
}

function fail(
  texts: TextChecker,
  field: string,
  problem: PatternProblem,
  owner: Owner,
  { range }: Pick<Member, 'range'>,
): void {
  texts.shapes.diagnostics.fail({ code: 'bad pattern', field, problem }, owner, range);
}
