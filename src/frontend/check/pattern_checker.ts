import type { SourceText, StepCheck } from '../ast.ts';
import { PATTERN_LIMIT } from '../../base/pattern_limit.ts';
import type { Owner, PatternProblem, DiagnosticCollector } from '../diagnostics/diagnostic.ts';
import { FilePath } from '../schema/schema.ts';
import type { Member } from '../syntax/json_tree.ts';
import { rangeOf } from '../syntax/source_range.ts';
import type { Members, ShapeChecker } from './shape_checker.ts';
import type { TextChecker } from './text_checker.ts';

/** Checks the patterns of the files that steps read and make. */
export class PatternChecker {
  readonly #diagnostics: DiagnosticCollector;
  readonly #shapes: ShapeChecker;
  readonly #texts: TextChecker;

  constructor(diagnostics: DiagnosticCollector, shapes: ShapeChecker, texts: TextChecker) {
    this.#diagnostics = diagnostics;
    this.#shapes = shapes;
    this.#texts = texts;
  }

  /** The patterns of a step with a command; null for a step without `sources`. */
  check(members: Members, owner: Owner): StepCheck | null {
    if (!members.has('run')) return null;
    const [given, made] = [members.get('sources'), members.get('generates')];
    if (given === undefined && made !== undefined) this.#fail('generates', 'without sources', owner, made);
    const [sources, generates] = [this.#patterns(given, 'sources', owner), this.#patterns(made, 'generates', owner)];
    if (given === undefined) return null;
    const isEmpty = given.value.kind === 'array' && given.value.items.length === 0;
    const makesNone = made === undefined || (made.value.kind === 'array' && made.value.items.length === 0);
    if (isEmpty && makesNone) this.#fail('sources', 'no files', owner, given);
    return { sources, generates };
  }

  #patterns(member: Member | undefined, field: string, owner: Owner): readonly SourceText[] {
    const items = member?.value.kind === 'array' ? member.value.items : [];
    return items.flatMap((node, index): SourceText[] => {
      const shown = `${field}[${index}]`;
      if (!this.#shapes.checkValue(node, FilePath, shown, owner) || node.kind !== 'string') return [];
      const { value } = node;
      if (/^!?$/.test(value)) this.#shapes.failRule(node, 'not empty', `'${shown}'`, owner);
      else if (index === 0 && value.startsWith('!'))
        this.#fail(shown, 'excludes first', owner, { range: rangeOf(node) });
      else if (value.length > PATTERN_LIMIT) this.#fail(shown, 'too long', owner, { range: rangeOf(node) });
      if (!value.includes('${steps.')) return [this.#texts.valueText(value, rangeOf(node), shown, owner)];
      this.#fail(shown, 'output', owner, { range: rangeOf(node) });
      return [];
    });
  }

  #fail(field: string, problem: PatternProblem, owner: Owner, { range }: Pick<Member, 'range'>): void {
    this.#diagnostics.fail({ code: 'bad pattern', field, problem }, owner, range);
  }
}
