import * as v from 'valibot';
import { redactKey, type MisplacedNeed, type Owner, type DiagnosticCollector } from '../diagnostics/diagnostic.ts';
import { fieldOfVariable } from '../diagnostics/foreign_fields.ts';
import { isMeantAs } from '../diagnostics/resembles.ts';
import type { Rule } from '../schema/rules.ts';
import * as schema from '../schema/schema.ts';
import { StepFields } from '../schema/step_fields.ts';
import type { ArrayNode, JsonNode, Member, ObjectNode, TextNode } from '../syntax/json_tree.ts';
import { rangeOf, type SourceRange } from '../syntax/source_range.ts';

/** The known fields of an object, by name. */
export type Members = ReadonlyMap<string, Member>;

/** The fields of an object: their nodes, and their values unless any of them is invalid. */
type CheckedFields<Shape extends schema.ObjectShape> = Readonly<{
  values: v.InferOutput<Shape> | undefined;
  members: Members;
}>;

/** Checks syntax nodes against the shapes of a workflow file. */
export class ShapeChecker {
  readonly diagnostics: DiagnosticCollector;

  constructor(diagnostics: DiagnosticCollector) {
    this.diagnostics = diagnostics;
  }

  /**
   * Checks the fields of one object: unknown and duplicate keys, then the shapes. Messages put `prefix` before the
   * names of fields.
   */
  checkFields<Shape extends schema.ObjectShape>(
    node: ObjectNode,
    shape: Shape,
    owner: Owner,
    prefix = '',
  ): CheckedFields<Shape> {
    const { members, unknown } = this.#knownMembers(node, shape, owner);
    const fields: Record<string, unknown> = {};
    for (const [key, { value }] of members) fields[key] = valueOf(value);
    const checked = v.safeParse(shape, fields);
    const failed = new Set<string>();
    for (const issue of checked.issues ?? []) {
      const field = String(issue.path?.[0].key);
      if (failed.size === failed.add(field).size) continue;
      const subject = `${prefix}${field}`;
      const value = members.get(field)?.value;
      if (value !== undefined) this.failRule(value, schema.ruleOf(issue), `'${subject}'`, owner);
      else if (unknown.every((key) => !isMeantAs(key, field)))
        this.diagnostics.fail({ code: 'missing field', field: subject }, owner, openingBrace(node));
    }
    return { values: unknown.length === 0 && checked.success ? checked.output : undefined, members };
  }

  /** The members with known keys. Reports other keys, except `x-` keys. */
  #knownMembers(
    node: ObjectNode,
    { entries }: schema.ObjectShape,
    owner: Owner,
  ): { members: Members; unknown: readonly string[] } {
    const members = new Map<string, Member>();
    const unknown: string[] = [];
    for (const member of this.uniqueMembers(node, owner)) {
      const field = member.key;
      const real = field.replace(/^x-/, '');
      if (Object.hasOwn(entries, field)) members.set(field, member);
      else if (real === field) {
        unknown.push(field);
        this.diagnostics.fail(
          { code: 'unknown field', field, known: Object.keys(entries), given: members },
          owner,
          member.range,
        );
      } else if (Object.hasOwn(entries, real)) {
        this.diagnostics.warn({ code: 'ignored field', field, real }, owner, member.range);
      }
    }
    return { members, unknown };
  }

  /** The first member of each key. Reports further members as duplicates. */
  uniqueMembers({ members }: ObjectNode, owner: Owner): Iterable<Member> {
    const seen = new Map<string, Member>();
    for (const member of members) {
      const { key } = member;
      const first = seen.get(key);
      if (first === undefined) seen.set(key, member);
      else this.diagnostics.fail({ code: 'duplicate key', key, first: first.range }, owner, member.range);
    }
    return seen.size === members.length ? members : seen.values();
  }

  /** The valid texts of a list. Messages name it as `subject`. */
  texts({ items }: ArrayNode, subject: string, owner: Owner): readonly TextNode[] {
    const isPlain = items.every(({ kind }) => kind === 'string' || kind === 'number' || kind === 'boolean');
    const unquoted = isPlain ? items.find(({ kind }) => kind !== 'string') : undefined;
    return items.flatMap((item) => {
      const rule = schema.brokenRule(schema.PlainText, valueOf(item));
      if (rule === undefined) return item.kind === 'string' ? [item] : [];
      const list = item === unquoted ? { list: items.map(rangeOf) } : {};
      this.diagnostics.fail({ code: 'broken rule', subject, rule, found: item.kind, ...list }, owner, rangeOf(item));
      return [];
    });
  }

  /** Checks that a node is an object. */
  isObject(node: JsonNode, subject: string, owner: Owner): node is ObjectNode {
    if (node.kind !== 'object') this.failRule(node, 'an object', subject, owner);
    return node.kind === 'object';
  }

  /** Checks a value against a schema. */
  checkValue(node: JsonNode, shape: v.GenericSchema, field: string, owner: Owner): boolean {
    const rule = schema.brokenRule(shape, valueOf(node));
    if (rule !== undefined) this.failRule(node, rule, `'${field}'`, owner);
    return rule === undefined;
  }

  /** Checks a key against a schema. `subject` is the key as messages show it. */
  checkKey(member: Member, shape: v.GenericSchema, field: string, owner: Owner, subject: string): boolean {
    const rule = schema.brokenRule(shape, member.key);
    if (rule !== undefined) this.failKey(member, rule, field, owner, subject);
    return rule === undefined;
  }

  /** Reports a key that breaks a rule. `subject` is the key as messages show it. */
  failKey(member: Member, rule: Rule, field: string, owner: Owner, subject = member.key): void {
    const detail = { code: 'broken rule', subject: `'${subject}' in '${field}'`, rule, found: 'string' } as const;
    this.diagnostics.fail(detail, owner, member.range);
  }

  /** Checks the name of a variable or output. Messages omit any value written into the name. */
  checkVariableName(member: Member, field: string, owner: Owner): boolean {
    return this.checkKey(member, schema.VariableName, field, owner, redactKey(member.key));
  }

  /** Warns of a variable that was probably meant as a field of its step. */
  warnOfField({ key, range }: Member, parent: string, owner: Owner): void {
    if (owner.step === undefined) return;
    const real = fieldOfVariable(key, parent, Object.keys(StepFields.entries));
    if (real !== undefined)
      this.diagnostics.warn({ code: 'field as variable', field: `${parent}.${key}`, real }, owner, range);
  }

  /** Checks the lines of a script, each at its own position. Undefined if any is invalid. */
  scriptLines({ items }: ArrayNode, field: string, owner: Owner): readonly TextNode[] | undefined {
    const lines = items.flatMap((item, index) => {
      const isValid = this.checkValue(item, schema.ScriptLine, `${field}[${index}]`, owner);
      return isValid && item.kind === 'string' ? [item] : [];
    });
    return lines.length === items.length ? lines : undefined;
  }

  failMisplaced(field: string, needs: MisplacedNeed, owner: Owner, range: SourceRange): void {
    this.diagnostics.fail({ code: 'misplaced field', field, needs }, owner, range);
  }

  failRule(node: JsonNode, rule: Rule, subject: string, owner: Owner): void {
    this.diagnostics.fail({ code: 'broken rule', subject, rule, found: node.kind }, owner, rangeOf(node));
  }
}

/** A node as the schemas expect it: the value of a scalar; the node itself for an object, array or null. */
function valueOf(node: JsonNode): unknown {
  return node.kind === 'object' || node.kind === 'array' || node.kind === 'null' ? node : node.value;
}

/** The range of an object's opening brace, which marks a missing field. */
export function openingBrace({ start }: ObjectNode): SourceRange {
  return { start, end: start + 1 };
}
