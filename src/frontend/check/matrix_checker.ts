import type { Matrix, SourceText, Variables } from '../ast.ts';
import { redactKey, type MatrixProblem, type Owner, type DiagnosticCollector } from '../diagnostics/diagnostic.ts';
import type { JsonNode, Member } from '../syntax/json_tree.ts';
import { rangeOf } from '../syntax/source_range.ts';
import type { ShapeChecker } from './shape_checker.ts';
import type { VariableChecker } from './variable_checker.ts';

/** Checks the `matrix` fields of steps. */
export class MatrixChecker {
  readonly #diagnostics: DiagnosticCollector;
  readonly #shapes: ShapeChecker;
  readonly #variables: VariableChecker;

  constructor(diagnostics: DiagnosticCollector, shapes: ShapeChecker, variables: VariableChecker) {
    this.#diagnostics = diagnostics;
    this.#shapes = shapes;
    this.#variables = variables;
  }

  /** The valid variables of a field; null if the field is absent. `own` are the variables of the step's `with`. */
  matrix(field: Member | undefined, own: Variables, owner: Owner): Matrix | null {
    if (field?.value.kind !== 'object') return null;
    const matrix = new Map<string, readonly SourceText[]>();
    for (const member of this.#shapes.uniqueMembers(field.value, owner)) {
      const { key, value, range } = member;
      if (key.startsWith('x-')) continue;
      const name = `matrix.${redactKey(key)}`;
      this.#shapes.warnOfField(member, 'matrix', owner);
      const isNamed = this.#shapes.checkVariableName(member, 'matrix', owner);
      const values = this.#values(value, name, owner);
      if (own.has(key)) this.#fail('in with', name, owner, range);
      else if (isNamed && values !== undefined) matrix.set(key, values);
    }
    const isEmpty = field.value.members.every(({ key }) => key.startsWith('x-'));
    if (isEmpty) this.#fail('no variables', 'matrix', owner, rangeOf(field.value));
    return matrix;
  }

  #values(node: JsonNode, field: string, owner: Owner): readonly SourceText[] | undefined {
    if (node.kind !== 'array') {
      this.#shapes.failRule(node, 'an array', `'${field}'`, owner);
      return undefined;
    }
    if (node.items.length === 0) this.#fail('no values', field, owner, rangeOf(node));
    const seen = new Set<string>();
    return this.#shapes.texts(node, `each value of '${field}'`, owner).map((item) => {
      if (seen.size === seen.add(item.value).size) this.#fail('equal values', field, owner, rangeOf(item));
      return this.#variables.value(item, field, owner);
    });
  }

  #fail(problem: MatrixProblem, field: string, owner: Owner, range: ReturnType<typeof rangeOf>): void {
    this.#diagnostics.fail({ code: 'bad matrix', field, problem }, owner, range);
  }
}
