import type * as v from 'valibot';
import type { Owner, SourceRange } from '../diagnostics/diagnostic.ts';
import { durationOf } from '../schema/duration.ts';
import type { ReferenceParser } from '../references/reference_parser.ts';
import { redactKey } from '../diagnostics/redact_key.ts';
import * as schema from '../schema/schema.ts';
import { openingBrace, ShapeChecker } from './shape_checker.ts';
import type { StepReference } from '../references/step_references.ts';
import { rangeOf, type Member, type JsonNode } from '../syntax/json_tree.ts';
import type { StepOptions, Output, Retry, Step, SourceText, Variables, Workflow, WorkflowFile } from '../ast.ts';

/** A step's call of another workflow, found even where the rest of the step or file is wrong. */
export type CallSite = Readonly<{ owner: Owner; target: string; range: SourceRange }>;

export const FILE: Owner = { workflow: '' };
const NO_VARIABLES: Variables = new Map();
const NO_OUTPUTS: readonly Output[] = [];
const NO_REFERENCES: readonly StepReference[] = [];

/** A command that is run once, to its end, for nothing but what it does. */
const DEFAULT_OPTIONS: StepOptions = { outputs: NO_OUTPUTS, retry: null, timeout: null, allowFailure: false };

/** A `$NAME` or `${NAME…` in a text. */
const VARIABLE = /\$\{?[A-Za-z_]/;

/** A condition that is only a variable runs its value as a command. */
const EXPANDED_CONDITION = /^\s*"?\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?"?\s*$/;

type StepValues = v.InferOutput<typeof schema.StepFields>;
type Members = ReadonlyMap<string, Member>;

/** Turns a syntax tree into a workflow file, and keeps all that is wrong or odd with it. */
export class Checker extends ShapeChecker {
  /** The names of all workflows, the malformed ones too. */
  readonly names = new Set<string>();
  readonly calls: CallSite[] = [];
  /** Where the values of variables stand, which may be secrets whatever they are called. */
  readonly hidden: SourceRange[] = [];
  /** Whether a text refers to an output. */
  hasReferences = false;
  readonly #extensions: ReferenceParser | undefined;

  /** A file that has outputs, or references to some, needs the extensions. */
  constructor(extensions: ReferenceParser | undefined) {
    super();
    this.#extensions = extensions;
  }

  /** Undefined if anything in the file has the wrong shape. */
  checkFile(root: JsonNode): WorkflowFile | undefined {
    if (!this.isObject(root, 'the file', FILE)) return undefined;
    const { values, members } = this.checkFields(root, schema.FileFields, FILE);
    const env = this.#checkVariables(members.get('env'), FILE);
    const hook = (field: 'before_all' | 'after_all' | 'error' | 'finally'): SourceText | undefined =>
      unlessBlank(this.#textOf(members, field, FILE));
    const [beforeAll, afterAll, error] = [hook('before_all'), hook('after_all'), hook('error')];
    const last = hook('finally');
    const workflows = new Map<string, Workflow>();
    const list = members.get('workflows')?.value;
    for (const member of list?.kind === 'object' ? this.unique(list, FILE) : []) {
      this.names.add(member.key);
      const named = this.checkKey(member, schema.Name, 'workflows', FILE);
      const workflow = this.#checkWorkflow(member);
      if (named && workflow !== undefined) workflows.set(member.key, workflow);
    }
    if (values === undefined || this.errors.items.length > 0) return undefined;
    return { env, beforeAll, afterAll, error, finally: last, workflows };
  }

  #checkWorkflow({ key, range, value }: Member): Workflow | undefined {
    const owner = { workflow: key };
    if (!this.isObject(value, 'the workflow', owner)) return undefined;
    const { values, members } = this.checkFields(value, schema.WorkflowFields, owner);
    const env = this.#checkVariables(members.get('env'), owner);
    this.#lookAt(members.get('dir')?.value, 'dir', owner);
    const list = members.get('steps')?.value;
    const items = list?.kind === 'array' ? list.items : [];
    const steps = items.flatMap((item, index) => this.#checkStep(item, { workflow: key, step: index + 1 }));
    if (values === undefined) return undefined;
    const { description = '', private: isPrivate = false, dir } = values;
    return { description, private: isPrivate, env, dir, steps, range };
  }

  /** The step, or nothing if it is wrong. */
  #checkStep(node: JsonNode, owner: Required<Owner>): Step[] {
    const generated = `step_${owner.step}`;
    if (node.kind === 'string') {
      if (!this.checkText(node, schema.Command, 'run', owner)) return [];
      const command = this.#text(node.value, rangeOf(node), 'run', owner);
      const shared = { condition: undefined, with: NO_VARIABLES, dir: undefined, offset: node.start };
      return [{ kind: 'run', name: generated, command, ...shared, options: DEFAULT_OPTIONS }];
    }
    if (node.kind !== 'object') {
      this.failRule(node, 'a step', '', owner);
      return [];
    }
    const { values, members } = this.checkFields(node, schema.StepFields, owner);
    const condition = unlessBlank(this.#textOf(members, 'if', owner));
    const shared = {
      name: values?.name ?? generated,
      condition,
      with: this.#checkVariables(members.get('with'), owner),
      dir: values?.dir,
      offset: node.start,
    };
    const target = members.get('workflow')?.value;
    if (target?.kind === 'string' && schema.brokenRule(schema.Name, target.value) === undefined) {
      this.calls.push({ owner, target: target.value, range: rangeOf(target) });
    }
    const [, variable] = EXPANDED_CONDITION.exec(condition?.text ?? '') ?? [];
    if (condition !== undefined && variable !== undefined) {
      this.warn({ code: 'condition expands', variable }, owner, condition.range);
    }
    this.#lookAt(members.get('dir')?.value, 'dir', owner);
    const options = this.#checkOptions(members, values, owner);
    if (members.has('run') === members.has('workflow')) {
      if (members.has('run')) this.fail({ code: 'ambiguous step' }, owner, rangeOf(node));
      else this.fail({ code: 'empty step' }, owner, openingBrace(node));
      return [];
    }
    if (members.has('workflow')) this.#refuse(schema.ONLY_COMMANDS, 'command', members, owner);
    else if (!members.has('name')) this.#refuse(['outputs'], 'name', members, owner);
    if (values?.workflow !== undefined) return [{ kind: 'call', workflow: values.workflow, ...shared }];
    const command = this.#textOf(members, 'run', owner);
    return values === undefined || command === undefined ? [] : [{ kind: 'run', command, ...shared, options }];
  }

  /** Looks at a text in which nothing is expanded. */
  #lookAt(node: JsonNode | undefined, field: string, owner: Owner): void {
    if (node?.kind !== 'string' || !VARIABLE.test(node.value)) return;
    const what = field === 'dir' ? 'folder' : node.value.includes('${steps.') ? 'reference' : 'value';
    this.warn({ code: 'value not expanded', field, what }, owner, rangeOf(node));
  }

  /** How a step's command is to be run. */
  #checkOptions(members: Members, values: StepValues | undefined, owner: Owner): StepOptions {
    if (!schema.ONLY_COMMANDS.some((field) => members.has(field))) return DEFAULT_OPTIONS;
    const outputs = this.#checkOutputs(members.get('outputs'), owner);
    const retry = this.#checkRetry(members.get('retry')?.value, owner);
    const { timeout, allow_failure: allowFailure = false } = values ?? {};
    return { outputs, retry, timeout: timeout === undefined ? null : durationOf(timeout), allowFailure };
  }

  #checkRetry(node: JsonNode | undefined, owner: Owner): Retry | null {
    if (node?.kind !== 'object') return null;
    const { values } = this.checkFields(node, schema.RetryFields, owner, 'retry.');
    return values === undefined ? null : { maxAttempts: values.max_attempts, delay: durationOf(values.delay) };
  }

  #checkOutputs(field: Member | undefined, owner: Owner): readonly Output[] {
    const outputs: Output[] = [];
    for (const member of field?.value.kind === 'object' ? this.unique(field.value, owner) : []) {
      const { key, value } = member;
      if (key.startsWith('x-')) continue;
      const name = `outputs.${redactKey(key)}`;
      const named = this.checkKey(member, schema.VariableName, 'outputs', owner);
      if (!this.checkText(value, schema.Path, name, owner) || value.kind !== 'string') continue;
      const parsed = this.#loaded().parseJsonPath(value.value);
      if (!parsed.ok) {
        const { problem, offset } = parsed;
        this.fail({ code: 'bad path', field: name, problem, offset }, owner, rangeOf(value));
      } else if (named) outputs.push([key, parsed.path]);
    }
    return outputs;
  }

  #refuse(fields: readonly string[], needs: 'command' | 'name', members: Members, owner: Owner): void {
    for (const field of fields) {
      const range = members.get(field)?.range;
      if (range !== undefined) this.fail({ code: 'misplaced field', field, needs }, owner, range);
    }
  }

  /** The variables of an `env` or `with` field, without the wrong ones. */
  #checkVariables(field: Member | undefined, owner: Owner): Variables {
    if (field === undefined) return NO_VARIABLES;
    const variables = new Map<string, SourceText>();
    this.hidden.push(rangeOf(field.value));
    for (const member of field.value.kind === 'object' ? this.unique(field.value, owner) : []) {
      const { key, value } = member;
      if (key.startsWith('x-')) continue;
      const name = `${field.key}.${redactKey(key)}`;
      const named = this.checkKey(member, schema.VariableName, field.key, owner);
      const fits = this.checkText(value, schema.PlainText, name, owner);
      if (!named || !fits || value.kind !== 'string') continue;
      const range = rangeOf(value);
      if (field.key === 'with') variables.set(key, this.#text(value.value, range, name, owner));
      else {
        variables.set(key, { text: value.value, range, references: NO_REFERENCES });
        this.#lookAt(value, name, owner);
      }
    }
    return variables;
  }

  /** The text of a field, if it is one. */
  #textOf(members: Members, field: string, owner: Owner): SourceText | undefined {
    const node = members.get(field)?.value;
    return node?.kind === 'string' ? this.#text(node.value, rangeOf(node), field, owner) : undefined;
  }

  /** A text in which outputs of steps may be referred to. */
  #text(text: string, range: SourceRange, field: string, owner: Owner): SourceText {
    if (!text.includes('steps.')) return { text, range, references: NO_REFERENCES };
    const { findInValue, findReferences, problemWords, inCondition } = this.#loaded();
    const isValue = field.startsWith('with.');
    const { references, problems } = isValue ? findInValue(text) : findReferences(text);
    for (const { start, end, problem } of problems) {
      const found = text.slice(start, end);
      // What follows the names in a value may be a secret.
      const fault = { code: 'bad reference', field, reference: isValue ? redactKey(found) : found } as const;
      this.fail({ ...fault, problem: problemWords[problem] }, owner, range);
    }
    const [first] = references;
    if (first !== undefined) this.hasReferences = true;
    if (field === 'if' && first !== undefined && /^\s*"?$/.test(text.slice(0, first.start))) {
      if (/^"?\s*$/.test(text.slice(first.end))) {
        const reference = text.slice(first.start, first.end);
        this.fail({ code: 'bad reference', field, reference, problem: inCondition }, owner, range);
      }
    }
    return { text, range, references };
  }

  #loaded(): ReferenceParser {
    if (this.#extensions === undefined) throw new Error('the file needs what reads paths and references');
    return this.#extensions;
  }
}

function unlessBlank(text: SourceText | undefined): SourceText | undefined {
  return text === undefined || text.text.trim() === '' ? undefined : text;
}
