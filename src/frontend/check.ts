import * as v from 'valibot';
import { Findings, type Fault, type Oddity, type Place, type Range } from './diagnostic.ts';
import { label } from './message.ts';
import type { Rule } from './rules.ts';
import * as schema from './schema.ts';
import { rangeOf, type Member, type Node, type ObjectNode } from './syntax.ts';
import type { Step, Text, Variables, Workflow, WorkflowFile } from './workflow_file.ts';

/** A step's call of another workflow, found even where the rest of the step or file is wrong. */
export type Call = Readonly<{ place: Place; target: string; range: Range }>;

type FieldsSchema = v.ObjectSchema<v.ObjectEntries, undefined>;
export const FILE: Place = { workflow: '' };
const NONE: Variables = new Map();

/** A `$NAME` or `${NAME…` in a text. */
const VARIABLE = /\$\{?[A-Za-z_]/;

/** A condition that is only a variable runs its value as a command. */
const EXPANDING = /^\s*"?\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?"?\s*$/;

/** Turns a syntax tree into a workflow file, and keeps all that is wrong or odd with its shapes. */
export class ShapeChecker {
  readonly errors = new Findings();
  readonly warnings = new Findings();
  /** The names of all workflows, the malformed ones too. */
  readonly names = new Set<string>();
  readonly calls: Call[] = [];
  /** Where the values of variables stand, which may be secrets whatever they are called. */
  readonly hidden: Range[] = [];

  /** Undefined if anything in the file has the wrong shape. */
  checkFile(root: Node): WorkflowFile | undefined {
    if (!this.#isObject(root, 'the file', FILE)) return undefined;
    const { values, members } = this.#checkFields(root, schema.FileFields, FILE);
    const env = this.#checkVariables(members.get('env'), FILE);
    const workflows = new Map<string, Workflow>();
    const list = members.get('workflows')?.value;
    for (const member of list?.kind === 'object' ? this.#unique(list, FILE) : []) {
      this.names.add(member.key);
      const named = this.#checkKey(member, schema.Name, 'workflows', FILE);
      const workflow = this.#checkWorkflow(member);
      if (named && workflow !== undefined) workflows.set(member.key, workflow);
    }
    if (values === undefined || this.errors.items.length > 0) return undefined;
    const hook = (field: 'before_all' | 'after_all' | 'error'): Text | undefined => unlessBlank(textOf(members, field));
    return { env, beforeAll: hook('before_all'), afterAll: hook('after_all'), error: hook('error'), workflows };
  }

  #checkWorkflow({ key, range, value }: Member): Workflow | undefined {
    const place = { workflow: key };
    if (!this.#isObject(value, 'the workflow', place)) return undefined;
    const { values, members } = this.#checkFields(value, schema.WorkflowFields, place);
    const env = this.#checkVariables(members.get('env'), place);
    const list = members.get('steps')?.value;
    const items = list?.kind === 'array' ? list.items : [];
    const steps = items.flatMap((item, index) => this.#checkStep(item, { workflow: key, step: index + 1 }));
    if (values === undefined) return undefined;
    const { description = '', private: isPrivate = false } = values;
    return { description, private: isPrivate, env, steps, range };
  }

  /** The step, or nothing if it is wrong. */
  #checkStep(node: Node, place: Required<Place>): Step[] {
    const generated = `step_${place.step}`;
    if (node.kind === 'string') {
      if (!this.#checkText(node, schema.Command, 'run', place)) return [];
      const command = { text: node.value, range: rangeOf(node) };
      return [{ kind: 'run', name: generated, command, condition: undefined, with: NONE, offset: node.start }];
    }
    if (node.kind !== 'object') {
      this.#failRule(node, 'a step', '', place);
      return [];
    }
    const { values, members } = this.#checkFields(node, schema.StepFields, place);
    const shared = {
      name: values?.name ?? generated,
      condition: unlessBlank(textOf(members, 'if')),
      with: this.#checkVariables(members.get('with'), place),
      offset: node.start,
    };
    const target = members.get('workflow')?.value;
    if (target?.kind === 'string' && schema.brokenRule(schema.Name, target.value) === undefined) {
      this.calls.push({ place, target: target.value, range: rangeOf(target) });
    }
    const { condition } = shared;
    const [, variable] = EXPANDING.exec(condition?.text ?? '') ?? [];
    if (condition !== undefined && variable !== undefined) {
      this.#warn({ code: 'condition expands', variable }, place, condition.range);
    }
    if (members.has('run') === members.has('workflow')) {
      if (members.has('run')) this.fail({ code: 'ambiguous step' }, place, rangeOf(node));
      else this.fail({ code: 'empty step' }, place, opening(node));
      return [];
    }
    if (values?.workflow !== undefined) return [{ kind: 'call', workflow: values.workflow, ...shared }];
    const command = textOf(members, 'run');
    return values === undefined || command === undefined ? [] : [{ kind: 'run', command, ...shared }];
  }

  /** The variables of an `env` or `with` field, without the wrong ones. */
  #checkVariables(field: Member | undefined, place: Place): Variables {
    if (field === undefined) return NONE;
    const variables = new Map<string, Text>();
    this.hidden.push(rangeOf(field.value));
    for (const member of field.value.kind === 'object' ? this.#unique(field.value, place) : []) {
      const { key, value } = member;
      if (key.startsWith('x-')) continue;
      const name = `${field.key}.${label(key)}`;
      const named = this.#checkKey(member, schema.VariableName, field.key, place);
      const fits = this.#checkText(value, schema.Text, name, place);
      if (!named || !fits || value.kind !== 'string') continue;
      variables.set(key, { text: value.value, range: rangeOf(value) });
      const expands = field.key === 'env' && VARIABLE.test(value.value);
      if (expands) this.#warn({ code: 'value not expanded', field: name }, place, rangeOf(value));
    }
    return variables;
  }

  /**
   * Checks one object's fields: unknown and duplicate keys, then the shapes. Gives their values, undefined
   * if any is wrong, and in either case the known ones as they stand, so that checking can go on inside.
   */
  #checkFields<Schema extends FieldsSchema>(node: ObjectNode, fields: Schema, place: Place) {
    const known = Object.keys(fields.entries);
    const members = new Map<string, Member>();
    let sound = true;
    for (const member of this.#unique(node, place)) {
      const { key: field, range } = member;
      if (field.startsWith('x-')) {
        const real = field.slice('x-'.length);
        if (known.includes(real)) this.#warn({ code: 'almost a field', field, real }, place, range);
      } else if (known.includes(field)) members.set(field, member);
      else {
        sound = false;
        this.fail({ code: 'unknown field', field, known }, place, range);
      }
    }
    const values: Record<string, unknown> = {};
    for (const [key, { value }] of members) values[key] = valueOf(value);
    const checked = v.safeParse(fields, values);
    for (const issue of checked.issues ?? []) {
      const field = String(issue.path?.[0].key);
      const value = members.get(field)?.value;
      if (value === undefined) this.fail({ code: 'missing field', field }, place, opening(node));
      else this.#failRule(value, schema.ruleOf(issue), `'${field}'`, place);
    }
    return { values: sound && checked.success ? checked.output : undefined, members };
  }

  /** The members of an object, each key once: a second of the same name is an error. */
  #unique({ members }: ObjectNode, place: Place): Iterable<Member> {
    const seen = new Map<string, Member>();
    for (const member of members) {
      const { key, range } = member;
      const first = seen.get(key);
      if (first === undefined) seen.set(key, member);
      else this.fail({ code: 'duplicate key', key, first: first.range }, place, range);
    }
    return seen.size === members.length ? members : seen.values();
  }

  #isObject(node: Node, subject: string, place: Place): node is ObjectNode {
    if (node.kind !== 'object') this.#failRule(node, 'an object', subject, place);
    return node.kind === 'object';
  }

  #checkText(node: Node, text: v.GenericSchema, field: string, place: Place): boolean {
    const rule = schema.brokenRule(text, valueOf(node));
    if (rule !== undefined) this.#failRule(node, rule, `'${field}'`, place);
    return rule === undefined;
  }

  #checkKey(member: Member, name: v.GenericSchema, field: string, place: Place): boolean {
    const rule = schema.brokenRule(name, member.key);
    if (rule === undefined) return true;
    const subject = `'${field === 'workflows' ? member.key : label(member.key)}' in '${field}'`;
    this.fail({ code: 'broken rule', subject, rule, found: 'string' }, place, member.range);
    return false;
  }

  #failRule(node: Node, rule: Rule, subject: string, place: Place): void {
    this.fail({ code: 'broken rule', subject, rule, found: node.kind }, place, rangeOf(node));
  }

  fail(fault: Fault, place: Place, range: Range): void {
    this.errors.add({ severity: 'error', place, range, ...fault });
  }

  #warn(oddity: Oddity, place: Place, range: Range): void {
    this.warnings.add({ severity: 'warning', place, range, ...oddity });
  }
}

/** What a schema sees of a node: texts and booleans as they are, anything else as the node itself. */
function valueOf(node: Node): unknown {
  return node.kind === 'string' || node.kind === 'boolean' ? node.value : node;
}

/** The bracket that opens an object, to mark where something is missing. */
function opening({ start }: ObjectNode): Range {
  return { start, end: start + 1 };
}

/** The text of a field, if it is one. */
function textOf(members: ReadonlyMap<string, Member>, field: string): Text | undefined {
  const node = members.get(field)?.value;
  return node?.kind === 'string' ? { text: node.value, range: rangeOf(node) } : undefined;
}

function unlessBlank(text: Text | undefined): Text | undefined {
  return text === undefined || text.text.trim() === '' ? undefined : text;
}
