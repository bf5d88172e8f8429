import { parse as parseShellWords } from 'shell-quote';
import type { Place, Range } from './diagnostic.ts';
import { checkFields, checkKey, checkText, uniqueMembers, type Report } from './fields.ts';
import {
  FileSchema,
  NameSchema,
  ShortStepSchema,
  StepSchema,
  VariableNameSchema,
  VariableValueSchema,
  WorkflowSchema,
} from './schema.ts';
import { opening, rangeOf, type Member, type Node, type ObjectNode } from './syntax.ts';
import type { Step, Variables, Workflow, WorkflowFile } from './workflow_file.ts';

/** A step's call of another workflow, found even where the rest of the step or file is wrong. */
export interface Call {
  readonly place: Place;
  readonly target: string;
  readonly range: Range;
}

/** What checking the shapes gave. */
export interface Shapes {
  /** Undefined if anything in the file has the wrong shape. */
  readonly file: WorkflowFile | undefined;
  /** The names of all workflows, the malformed ones too. */
  readonly names: ReadonlySet<string>;
  readonly calls: readonly Call[];
}

const FILE: Place = { workflow: '' };

/** Turns a syntax tree into a workflow file; everything wrong with a shape goes to the report. */
export function checkShapes(root: Node, report: Report): Shapes {
  const calls: Call[] = [];
  const names = new Set<string>();
  if (root.kind !== 'object') {
    const found = root.kind;
    const fault = { code: 'wrong type', field: '', expected: 'object', found } as const;
    report.errors.add({ ...fault, place: FILE, range: rangeOf(root) });
    return { file: undefined, names, calls };
  }

  const { fields, members } = checkFields(root, FileSchema, FILE, report);
  const env = checkVariables(members.get('env'), FILE, report);
  const workflows = new Map<string, Workflow>();
  const node = members.get('workflows')?.value;
  if (node?.kind === 'object') {
    for (const member of uniqueMembers(node, 'workflows', FILE, report)) {
      names.add(member.key);
      const named = checkKey(member, NameSchema, 'workflows', FILE, report);
      const workflow = checkWorkflow(member, report, calls);
      if (named && workflow !== undefined) workflows.set(member.key, workflow);
    }
  }
  if (fields === undefined || !report.errors.isEmpty) return { file: undefined, names, calls };
  const beforeAll = unlessBlank(fields.before_all);
  const afterAll = unlessBlank(fields.after_all);
  const error = unlessBlank(fields.error);
  return { file: { env, beforeAll, afterAll, error, workflows }, names, calls };
}

function checkWorkflow(member: Member, report: Report, calls: Call[]): Workflow | undefined {
  const place = { workflow: member.key };
  const node = member.value;
  if (node.kind !== 'object') {
    const found = node.kind;
    const fault = { code: 'wrong type', field: '', expected: 'object', found } as const;
    report.errors.add({ ...fault, place, range: rangeOf(node) });
    return undefined;
  }
  const { fields, members } = checkFields(node, WorkflowSchema, place, report);
  const env = checkVariables(members.get('env'), place, report);
  const list = members.get('steps')?.value;
  const steps: Step[] = [];
  for (const [index, item] of (list?.kind === 'array' ? list.items : []).entries()) {
    const step = checkStep(item, { workflow: member.key, step: index + 1 }, report, calls);
    if (step !== undefined) steps.push(step);
  }
  if (fields === undefined) return undefined;
  const { description = '', private: isPrivate = false } = fields;
  return { description, private: isPrivate, env, steps, range: member.range };
}

function checkStep(
  node: Node,
  place: Required<Place>,
  report: Report,
  calls: Call[],
): Step | undefined {
  if (node.kind === 'object') return checkLongStep(node, place, report, calls);
  if (node.kind !== 'string') {
    const fault = { code: 'wrong type', field: '', expected: 'step', found: node.kind } as const;
    report.errors.add({ ...fault, place, range: rangeOf(node) });
    return undefined;
  }
  const command = checkText(node, ShortStepSchema, 'run', place, report);
  if (command === undefined) return undefined;
  return { kind: 'run', name: `step_${place.step}`, command, condition: undefined, with: NONE };
}

const NONE: Variables = new Map();

function checkLongStep(
  node: ObjectNode,
  place: Required<Place>,
  report: Report,
  calls: Call[],
): Step | undefined {
  const { fields, members } = checkFields(node, StepSchema, place, report);
  const variables = checkVariables(members.get('with'), place, report);
  const target = members.get('workflow')?.value;
  if (target?.kind === 'string')
    calls.push({ place, target: target.value, range: rangeOf(target) });
  const test = members.get('if')?.value;
  if (test?.kind === 'string') warnIfExpanding(test.value, place, rangeOf(test), report);

  const run = members.get('run');
  const both = run !== undefined && target !== undefined;
  if (both || (run === undefined && target === undefined)) {
    const range = both ? rangeOf(node) : opening(node);
    report.errors.add({ code: both ? 'ambiguous step' : 'empty step', place, range });
    return undefined;
  }
  if (fields === undefined) return undefined;
  const shared = { condition: unlessBlank(fields.if), with: variables };
  if (fields.workflow !== undefined) {
    return { kind: 'call', workflow: fields.workflow, ...shared };
  }
  if (fields.run === undefined) throw new Error('a step has one of run and workflow');
  return { kind: 'run', name: fields.name ?? `step_${place.step}`, command: fields.run, ...shared };
}

/** The variables of an `env` or `with` field; the wrong ones go to the report. */
function checkVariables(field: Member | undefined, place: Place, report: Report): Variables {
  if (field?.value.kind !== 'object') return NONE;
  const variables = new Map<string, string>();
  for (const member of uniqueMembers(field.value, field.key, place, report)) {
    if (member.key.startsWith('x-')) continue;
    const named = checkKey(member, VariableNameSchema, field.key, place, report);
    const name = `${field.key}.${member.key}`;
    const value = checkText(member.value, VariableValueSchema, name, place, report);
    if (!named || value === undefined) continue;
    variables.set(member.key, value);
    const variable = firstVariable(value);
    if (variable !== undefined && field.key === 'env') {
      const range = rangeOf(member.value);
      report.warnings.add({ code: 'value not expanded', field: name, variable, place, range });
    }
  }
  return variables;
}

/** The first `$NAME` or `${NAME…` in a text. */
function firstVariable(text: string): string | undefined {
  return /\$\{?([A-Za-z_][A-Za-z0-9_]*)/.exec(text)?.[1];
}

/** A condition that is only `$NAME`, however quoted, runs the variable's value as a command. */
function warnIfExpanding(condition: string, place: Place, range: Range, report: Report): void {
  if (!/^\s*["']?\$\{?[A-Za-z_][A-Za-z0-9_]*\}?["']?\s*$/.test(condition)) return;
  const [word, ...rest] = parseShellWords<{ variable: string }>(condition, (variable) => ({
    variable,
  }));
  if (typeof word !== 'object' || !('variable' in word) || rest.length > 0) return;
  report.warnings.add({ code: 'condition expands', variable: word.variable, place, range });
}

function unlessBlank(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}
