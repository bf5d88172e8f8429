import type { Owner } from '../diagnostics/diagnostic.ts';
import type { DiagnosticCollector } from '../diagnostics/diagnostic_collector.ts';
import { Name } from '../schema/schema.ts';
import type { JsonNode } from '../syntax/json_tree.ts';
import { rangeOf, type SourceRange } from '../syntax/source_range.ts';
import type { ShapeChecker } from './shape_checker.ts';

/** Checks the aliases of workflows. */
export class AliasChecker {
  readonly #diagnostics: DiagnosticCollector;
  readonly #shapes: ShapeChecker;
  readonly #found: { readonly alias: string; readonly owner: Owner; readonly range: SourceRange }[] = [];

  constructor(diagnostics: DiagnosticCollector, shapes: ShapeChecker) {
    this.#diagnostics = diagnostics;
    this.#shapes = shapes;
  }

  /** The valid aliases of a workflow. */
  aliases(node: JsonNode | undefined, owner: Owner): readonly string[] {
    if (node?.kind !== 'array') return [];
    return node.items.flatMap((item) => {
      if (!this.#shapes.checkValue(item, Name, 'aliases', owner) || item.kind !== 'string') return [];
      this.#found.push({ alias: item.value, owner, range: rangeOf(item) });
      return item.value;
    });
  }

  /** Checks that each alias is unique. `names` are the names of all workflows. */
  checkNames(names: ReadonlySet<string>): void {
    const taken = new Map([...names].map((name) => [name, name]));
    for (const { alias, owner, range } of this.#found) {
      const other = taken.get(alias);
      if (other === undefined) taken.set(alias, owner.workflow);
      else this.#diagnostics.fail({ code: 'bad alias', alias, taken: other }, owner, range);
    }
  }
}
