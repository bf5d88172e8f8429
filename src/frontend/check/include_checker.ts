import type { Include } from '../ast.ts';
import type { Owner } from '../diagnostics/diagnostic.ts';
import { FilePath, IncludeEntry, IncludeFields, IncludeName, type EveryField } from '../schema/schema.ts';
import type { Member } from '../syntax/json_tree.ts';
import { rangeOf } from '../syntax/source_range.ts';
import type { ShapeChecker } from './shape_checker.ts';
import { looksExpanded } from './text_checker.ts';

/** The valid includes of a field. */
export function includesOf(shapes: ShapeChecker, field: Member | undefined, owner: Owner): readonly Include[] {
  if (field?.value.kind !== 'object') return [];
  return [...shapes.uniqueMembers(field.value, owner)].flatMap((member) => includeOf(shapes, member, owner));
}

function includeOf(shapes: ShapeChecker, member: Member, owner: Owner): Include[] {
  const { key: name, value: node } = member;
  const isNamed = shapes.checkKey(member, IncludeName, 'include', owner, name);
  const subject = `include.${name}`;
  if (!shapes.checkValue(node, IncludeEntry, subject, owner)) return [];
  if (node.kind === 'string') {
    const isPath = shapes.checkValue(node, FilePath, subject, owner);
    return isNamed && isPath ? [{ name, file: node.value, dir: undefined, range: rangeOf(node) }] : [];
  }
  if (node.kind !== 'object') return [];
  const { values, members } = shapes.checkFields(node, IncludeFields, owner, `${subject}.`);
  const file = members.get('file')?.value;
  if (values === undefined || file === undefined) return [];
  const dir = members.get('dir')?.value;
  if (dir?.kind === 'string' && looksExpanded(dir.value)) {
    const detail = { code: 'value not expanded', field: `${subject}.dir`, kind: 'path' } as const;
    shapes.diagnostics.warn(detail, owner, rangeOf(dir));
  }
  const fields: EveryField<typeof IncludeFields, Include> = { file: values.file, dir: values.dir };
  return isNamed ? [{ name, ...fields, range: rangeOf(file) }] : [];
}

/** Checks that no workflow has a name in the namespace of an include, `NAME:…`. */
export function checkIncludedNames(
  shapes: ShapeChecker,
  includes: readonly Include[],
  members: readonly Member[],
  owner: Owner,
): void {
  if (includes.length === 0) return;
  const names = new Set(includes.map(({ name }) => name));
  for (const { key: name, range } of members) {
    const include = name.slice(0, Math.max(0, name.indexOf(':')));
    if (!names.has(include) || !name.includes(':')) continue;
    shapes.diagnostics.fail({ code: 'included name', name, include }, owner, range);
  }
}
