import * as v from 'valibot';
import { EXPECTED, FLAWS, type Collector, type Diagnostic, type Fault } from './diagnostic.ts';
import type { Place, Range, Warning } from './diagnostic.ts';
import { nearest } from './nearest.ts';
import { opening, rangeOf, type Member, type Node, type ObjectNode } from './syntax.ts';

/** Where findings go while a file is checked. */
export interface Report {
  readonly errors: Collector<Diagnostic>;
  readonly warnings: Collector<Warning>;
}

type LevelSchema = v.ObjectSchema<v.ObjectEntries, undefined>;

/**
 * Checks one object's fields against its schema: unknown and duplicate keys, then the shapes.
 *
 * Gives the fields' values (a nested object or array as its node) or undefined if any is wrong, and
 * in either case the members by name, so that checking can go on inside the good ones.
 */
export function checkFields<Schema extends LevelSchema>(
  node: ObjectNode,
  schema: Schema,
  place: Place,
  report: Report,
): { readonly fields: v.InferOutput<Schema> | undefined; readonly members: Map<string, Member> } {
  const known = Object.keys(schema.entries);
  const members = new Map<string, Member>();
  let sound = true;
  const fail = (fault: Fault, range: Range): void => {
    sound = false;
    report.errors.add({ ...fault, place, range });
  };

  for (const member of uniqueMembers(node, '', place, report)) {
    if (member.key.startsWith('x-')) {
      warnIfAlmostField(member, known, place, report);
    } else if (known.includes(member.key)) {
      members.set(member.key, member);
    } else {
      const suggestion = nearest(member.key, known);
      fail({ code: 'unknown field', field: member.key, nearest: suggestion, known }, member.range);
    }
  }

  const values: Record<string, unknown> = {};
  for (const [key, member] of members) values[key] = fieldValue(member.value);
  const checked = v.safeParse(schema, values);
  for (const issue of checked.issues ?? []) {
    const field = String(issue.path?.[0].key);
    const member = members.get(field);
    if (member === undefined) fail({ code: 'missing field', field }, opening(node));
    else fail(faultOf(issue.message, field, member.value), rangeOf(member.value));
  }
  return { fields: sound && checked.success ? checked.output : undefined, members };
}

/** The members of an object, each key once: a second of the same name is an error. */
export function uniqueMembers(
  node: ObjectNode,
  field: string,
  place: Place,
  report: Report,
): Member[] {
  const seen = new Map<string, Member>();
  for (const member of node.members) {
    const first = seen.get(member.key);
    if (first === undefined) seen.set(member.key, member);
    else {
      const { key, range } = member;
      report.errors.add({ code: 'duplicate key', field, key, first: first.range, place, range });
    }
  }
  return [...seen.values()];
}

/** Checks one value that is not a field of its own: a short step, a variable. */
export function checkText(
  node: Node,
  schema: v.GenericSchema<unknown, string>,
  field: string,
  place: Place,
  report: Report,
): string | undefined {
  const checked = v.safeParse(schema, fieldValue(node));
  if (checked.success) return checked.output;
  report.errors.add({
    ...faultOf(checked.issues[0].message, field, node),
    place,
    range: rangeOf(node),
  });
  return undefined;
}

/** Checks a key that is a name. */
export function checkKey(
  member: Member,
  schema: v.GenericSchema<unknown, string>,
  field: string,
  place: Place,
  report: Report,
): boolean {
  const checked = v.safeParse(schema, member.key);
  if (checked.success) return true;
  const flaw = FLAWS.find((code) => code === checked.issues[0].message);
  if (flaw === undefined) throw new Error(`no words for: ${checked.issues[0].message}`);
  const { key, range } = member;
  report.errors.add({ code: 'bad key', field, key, flaw, place, range });
  return false;
}

/** What a schema sees of a node: texts and booleans as they are, anything else as the node itself. */
function fieldValue(node: Node): unknown {
  return node.kind === 'string' || node.kind === 'boolean' ? node.value : node;
}

/** A schema's message is a code of `diagnostic.ts`. */
function faultOf(code: string, field: string, node: Node): Fault {
  const expected = EXPECTED.find((one) => one === code);
  if (expected !== undefined) return { code: 'wrong type', field, expected, found: node.kind };
  const flaw = FLAWS.find((one) => one === code);
  if (flaw !== undefined) return { code: 'bad text', field, flaw };
  throw new Error(`no words for: ${code}`);
}

function warnIfAlmostField(
  member: Member,
  known: readonly string[],
  place: Place,
  report: Report,
): void {
  const suggestion = nearest(member.key.slice('x-'.length), known);
  if (suggestion === undefined) return;
  const { key: field, range } = member;
  report.warnings.add({ code: 'almost a field', field, nearest: suggestion, place, range });
}
