import type { Include } from '../ast.ts';
import type { Owner, DiagnosticCollector } from '../diagnostics/diagnostic.ts';
import { FilePath, IncludeEntry, IncludeFields, IncludeName, type EveryField } from '../schema/schema.ts';
import type { Member } from '../syntax/json_tree.ts';
import { rangeOf } from '../syntax/source_range.ts';
import type { ShapeChecker } from './shape_checker.ts';
import { looksExpanded } from './text_checker.ts';

/** Checks the `include` field of a file. */
export class IncludeChecker {
  readonly #diagnostics: DiagnosticCollector;
  readonly #shapes: ShapeChecker;

  constructor(diagnostics: DiagnosticCollector, shapes: ShapeChecker) {
    this.#diagnostics = diagnostics;
    this.#shapes = shapes;
  }

  /** The valid includes of a field. */
  includes(field: Member | undefined, owner: Owner): readonly Include[] {
    if (field?.value.kind !== 'object') return [];
    return [...this.#shapes.uniqueMembers(field.value, owner)].flatMap((member) => this.#include(member, owner));
  }

  #include(member: Member, owner: Owner): Include[] {
    const { key: name, value: node } = member;
    const isNamed = this.#shapes.checkKey(member, IncludeName, 'include', owner, name);
    const subject = `include.${name}`;
    if (!this.#shapes.checkValue(node, IncludeEntry, subject, owner)) return [];
    if (node.kind === 'string') {
      const isPath = this.#shapes.checkValue(node, FilePath, subject, owner);
      return isNamed && isPath ? [{ name, file: node.value, dir: undefined, range: rangeOf(node) }] : [];
    }
    if (node.kind !== 'object') return [];
    const { values, members } = this.#shapes.checkFields(node, IncludeFields, owner, `${subject}.`);
    const file = members.get('file')?.value;
    if (values === undefined || file === undefined) return [];
    const dir = members.get('dir')?.value;
    if (dir?.kind === 'string' && looksExpanded(dir.value)) {
      const detail = { code: 'value not expanded', field: `${subject}.dir`, kind: 'path' } as const;
      this.#diagnostics.warn(detail, owner, rangeOf(dir));
    }
    const fields: EveryField<typeof IncludeFields, Include> = { file: values.file, dir: values.dir };
    return isNamed ? [{ name, ...fields, range: rangeOf(file) }] : [];
  }

  /** Checks that no workflow has a name in the namespace of an include, `NAME:…`. */
  checkNames(includes: readonly Include[], members: readonly Member[], owner: Owner): void {
    if (includes.length === 0) return;
    const names = new Set(includes.map(({ name }) => name));
    for (const { key: name, range } of members) {
      const include = name.slice(0, Math.max(0, name.indexOf(':')));
      if (!names.has(include) || !name.includes(':')) continue;
      this.#diagnostics.fail({ code: 'included name', name, include }, owner, range);
    }
  }
}
