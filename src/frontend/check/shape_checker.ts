import * as v from 'valibot';
import {
  DiagnosticList,
  type ErrorDetail,
  type WarningDetail,
  type Owner,
  type SourceRange,
} from '../diagnostics/diagnostic.ts';
import { redactKey } from '../diagnostics/redact_key.ts';
import type { Rule } from '../schema/rules.ts';
import * as schema from '../schema/schema.ts';
import { rangeOf, type Member, type JsonNode, type ObjectNode } from '../syntax/json_tree.ts';

type FieldsSchema = v.ObjectSchema<v.ObjectEntries, undefined>;

/** The fields of an object: their values, if all of them are right, and where they stand. */
type Checked<Schema extends FieldsSchema> = Readonly<{
  values: v.InferOutput<Schema> | undefined;
  members: ReadonlyMap<string, Member>;
}>;

/** Checks the shapes of a syntax tree, whatever they mean, and keeps all that is wrong or odd with them. */
export class ShapeChecker {
  readonly errors = new DiagnosticList();
  readonly warnings = new DiagnosticList();

  fail(fault: ErrorDetail, owner: Owner, range: SourceRange): void {
    this.errors.add({ severity: 'error', owner, range, ...fault });
  }

  protected warn(oddity: WarningDetail, owner: Owner, range: SourceRange): void {
    this.warnings.add({ severity: 'warning', owner, range, ...oddity });
  }

  /**
   * Checks one object's fields: unknown and duplicate keys, then the shapes. Gives their values, undefined
   * if any is wrong, and in either case the known ones as they stand, so that checking can go on inside.
   * `within` is what stands in front of their names in messages.
   */
  protected checkFields<Schema extends FieldsSchema>(
    node: ObjectNode,
    fields: Schema,
    owner: Owner,
    within = '',
  ): Checked<Schema> {
    const known = Object.keys(fields.entries);
    const members = new Map<string, Member>();
    let sound = true;
    for (const member of this.unique(node, owner)) {
      const { key: field, range } = member;
      if (field.startsWith('x-')) {
        const real = field.slice('x-'.length);
        if (known.includes(real)) this.warn({ code: 'almost a field', field, real }, owner, range);
      } else if (known.includes(field)) members.set(field, member);
      else {
        sound = false;
        this.fail({ code: 'unknown field', field, known }, owner, range);
      }
    }
    const values: Record<string, unknown> = {};
    for (const [key, { value }] of members) values[key] = valueOf(value);
    const checked = v.safeParse(fields, values);
    for (const issue of checked.issues ?? []) {
      const field = String(issue.path?.[0].key);
      const value = members.get(field)?.value;
      if (value === undefined)
        this.fail({ code: 'missing field', field: `${within}${field}` }, owner, openingBrace(node));
      else this.failRule(value, schema.ruleOf(issue), `'${within}${field}'`, owner);
    }
    return { values: sound && checked.success ? checked.output : undefined, members };
  }

  /** The members of an object, each key once: a second of the same name is an error. */
  protected unique({ members }: ObjectNode, owner: Owner): Iterable<Member> {
    const seen = new Map<string, Member>();
    for (const member of members) {
      const { key, range } = member;
      const first = seen.get(key);
      if (first === undefined) seen.set(key, member);
      else this.fail({ code: 'duplicate key', key, first: first.range }, owner, range);
    }
    return seen.size === members.length ? members : seen.values();
  }

  protected isObject(node: JsonNode, subject: string, owner: Owner): node is ObjectNode {
    if (node.kind !== 'object') this.failRule(node, 'an object', subject, owner);
    return node.kind === 'object';
  }

  protected checkText(node: JsonNode, text: v.GenericSchema, field: string, owner: Owner): boolean {
    const rule = schema.brokenRule(text, valueOf(node));
    if (rule !== undefined) this.failRule(node, rule, `'${field}'`, owner);
    return rule === undefined;
  }

  protected checkKey(member: Member, name: v.GenericSchema, field: string, owner: Owner): boolean {
    const rule = schema.brokenRule(name, member.key);
    if (rule === undefined) return true;
    const subject = `'${field === 'workflows' ? member.key : redactKey(member.key)}' in '${field}'`;
    this.fail({ code: 'broken rule', subject, rule, found: 'string' }, owner, member.range);
    return false;
  }

  protected failRule(node: JsonNode, rule: Rule, subject: string, owner: Owner): void {
    this.fail({ code: 'broken rule', subject, rule, found: node.kind }, owner, rangeOf(node));
  }
}

/** What a schema sees of a node: scalars as they are, anything else as the node itself. */
function valueOf(node: JsonNode): unknown {
  return node.kind === 'object' || node.kind === 'array' || node.kind === 'null' ? node : node.value;
}

/** The bracket that opens an object, to mark where something is missing. */
export function openingBrace({ start }: ObjectNode): SourceRange {
  return { start, end: start + 1 };
}
