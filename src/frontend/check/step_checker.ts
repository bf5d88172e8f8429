import { generatedName } from '../../base/generated_name.ts';
import type { GroupOptions, ListedSecret, SourceText, Step } from '../ast.ts';
import { DEFAULT_OPTIONS, ENDING_FIELDS } from '../schema/option_fields.ts';
import { memberNumber } from '../diagnostics/diagnostic.ts';
import type { MisplacedNeed, Owner, StepNumber } from '../diagnostics/diagnostic.ts';
import { isMeantAs } from '../diagnostics/resembles.ts';
import * as schema from '../schema/schema.ts';
import {
  COMMAND_FIELDS,
  COPY_FIELDS,
  GROUP_FIELDS,
  GroupFields,
  KIND_FIELDS,
  SharedFields,
  StepFields,
} from '../schema/step_fields.ts';
import type { ArrayNode, JsonNode, ObjectNode, TextNode } from '../syntax/json_tree.ts';
import { eachItem } from '../syntax/json_parser.ts';
import { rangeOf, type SourceRange } from '../syntax/source_range.ts';
import { optionsOf, readinessOf } from './option_checker.ts';
import type { RareFields } from './rare_fields.ts';
import { openingBrace, type Members, type ShapeChecker } from './shape_checker.ts';
import { withSecrets, type TextChecker } from './text_checker.ts';
import { NO_VARIABLES, variablesOf } from './variable_checker.ts';

/** The step that contains a node. */
export type StepOwner = Required<Owner>;

/** A call of another workflow. It is collected even if other parts of the step or file are invalid. */
export type CallSite = Readonly<{ owner: Owner; target: string; range: SourceRange }>;

/** The results of the fields common to all steps. The field for `condition` is called `if`. */
type SharedResult = Step & { readonly if: Step['condition'] };

/** Checks the steps of workflows. */
export class StepChecker {
  readonly calls: CallSite[] = [];
  readonly #texts: TextChecker;
  readonly #shapes: ShapeChecker;
  readonly #rare: RareFields | undefined;
  readonly #prefix: string;

  /** `prefix` is that of the names of called workflows. */
  constructor(texts: TextChecker, rare: RareFields | undefined, prefix: string) {
    this.#texts = texts;
    this.#shapes = texts.shapes;
    this.#rare = rare;
    this.#prefix = prefix;
  }

  /** The step of a workflow that may run `once`; undefined if it is invalid. */
  step(node: JsonNode, owner: StepOwner, isOnce: boolean): Step | undefined {
    if (node.kind === 'string') return this.#shortStep(node.value, node, owner);
    if (node.kind === 'object') return this.#plainStep(node, owner) ?? this.#longStep(node, owner, isOnce);
    this.#shapes.failRule(node, 'a step', '', owner);
    return undefined;
  }

  /**
   * The steps of a workflow that may run `once`, or of one of its groups. An invalid one is a group of its members, which
   * keeps its number.
   */
  steps(list: JsonNode | undefined, workflow: string, isOnce: boolean, group?: StepNumber): Step[] {
    const steps: Step[] = [];
    let position = 0;
    for (const node of list?.kind === 'array' ? eachItem(list) : []) {
      position += 1;
      const step = this.step(node, { workflow, step: memberNumber(position, group) }, isOnce);
      steps.push(step ?? invalidStep([], node));
    }
    return steps;
  }

  /** A step written as a string, which is its command. */
  #shortStep(text: string, node: JsonNode, owner: StepOwner): Step | undefined {
    const isValid = isPlainCommand(text) || this.#shapes.checkValue(node, schema.Command, 'run', owner);
    return isValid ? this.#run(generatedName(owner.step), text, node, owner, node.start) : undefined;
  }

  /**
   * A step with only a command, an optional name, both in ASCII, and a list of secrets; undefined for any other step,
   * valid or not. Nearly all steps of large files are of this kind, and this fast path takes a fifth of the time.
   */
  #plainStep({ members, start }: ObjectNode, owner: StepOwner): Step | undefined {
    let [name, command, list]: [string?, TextNode?, ArrayNode?] = [];
    for (const { key, value } of members) {
      if (key === 'secrets' && value.kind === 'array' && list === undefined) {
        list = value;
        continue;
      }
      if (value.kind !== 'string') return undefined;
      if (key === 'run' && command === undefined && isPlainCommand(value.value)) command = value;
      else if (key === 'name' && name === undefined && /^[ -~]+$/.test(value.value)) name = value.value;
      else return undefined;
    }
    if (command === undefined) return undefined;
    const secrets = this.#texts.listed(list, 'secrets', owner);
    return this.#run(name ?? generatedName(owner.step), command.value, command, owner, start, secrets);
  }

  /** A step with only a command, a name and secrets. */
  #run(
    name: string,
    text: string,
    range: SourceRange,
    owner: StepOwner,
    offset: number,
    secrets?: readonly ListedSecret[],
  ): Step {
    const command = withSecrets(this.#texts.commandText(text, rangeOf(range), 'run', owner), secrets);
    // One literal: adding the fields of another object takes several times as long.
    return {
      kind: 'run',
      command,
      name,
      condition: undefined,
      with: NO_VARIABLES,
      matrix: null,
      dir: undefined,
      options: DEFAULT_OPTIONS,
      check: null,
      offset,
    };
  }

  #longStep(node: ObjectNode, owner: StepOwner, isOnce: boolean): Step | undefined {
    const texts = this.#texts;
    const { values, members } = this.#shapes.checkFields(node, StepFields, owner);
    this.#findCall(members, owner);
    const own = variablesOf(texts, members.get('with'), owner);
    const fields: schema.EveryField<typeof SharedFields, SharedResult> = {
      name: values?.name ?? generatedName(owner.step),
      if: texts.condition(members, owner),
      with: own,
      matrix: this.#rare?.matrixOf(texts, members.get('matrix'), own, owner) ?? null,
      dir: texts.directory(members, owner),
    };
    const { if: condition, ...others } = fields;
    const shared = { ...others, condition, offset: node.start };
    const ready = readinessOf(texts, members.get('ready'), owner);
    const stepOptions = optionsOf(texts, members, values, owner, ready);
    const question = texts.question(members, owner);
    if (isOnce) this.#refuseFields(['on_resume'], 'no once', members, owner);
    const check = this.#rare?.checkOf(texts, members, owner) ?? null;
    const command = this.#command(members, owner);
    const steps = this.steps(members.get('parallel')?.value, owner.workflow, isOnce, owner.step);
    if (!this.#checkKind(node, members, owner) || values === undefined) return invalidStep(steps, node);
    if (members.has('run')) this.#checkBackground(members, values.background === true, owner);
    if (members.has('parallel')) {
      const groupFields: schema.EveryField<typeof GroupFields, GroupOptions> = {
        max_parallel: values.max_parallel ?? null,
        fail_fast: values.fail_fast ?? false,
        output: values.output ?? 'lines',
      };
      const { max_parallel: maxParallel, fail_fast: failFast, output } = groupFields;
      return { kind: 'group', members: steps, group: { maxParallel, failFast, output }, ...shared };
    }
    if (values.workflow !== undefined) return { kind: 'call', workflow: this.#prefix + values.workflow, ...shared };
    const referring = { ...(ready && { ready: ready.source }), ...(question && { question }) };
    return command && { kind: 'run', command, ...shared, options: stepOptions, check, ...referring };
  }

  /** The command of a step. A script of blank lines only is an error. */
  #command(members: Members, owner: StepOwner): SourceText | undefined {
    const command = this.#texts.command(members, 'run', owner);
    const node = members.get('run')?.value;
    if (node?.kind === 'array' && command?.text.trim() === '') this.#shapes.failRule(node, 'not blank', "'run'", owner);
    return command;
  }

  #findCall(members: Members, owner: StepOwner): void {
    const target = members.get('workflow')?.value;
    if (target?.kind !== 'string' || schema.brokenRule(schema.Name, target.value) !== undefined) return;
    this.calls.push({ owner, target: this.#prefix + target.value, range: rangeOf(target) });
  }

  /** Checks that a step has exactly one of `run`, `workflow` and `parallel`, and no field of the other kinds. */
  #checkKind(node: ObjectNode, members: Members, owner: StepOwner): boolean {
    const { diagnostics } = this.#shapes;
    const kinds = KIND_FIELDS.filter((field) => members.has(field));
    if (kinds.length !== 1) {
      if (kinds.length > 1) diagnostics.fail({ code: 'ambiguous step', fields: kinds }, owner, rangeOf(node));
      else if (!hasNearMiss(node)) diagnostics.fail({ code: 'empty step' }, owner, openingBrace(node));
      return false;
    }
    const isOutside = !members.has('parallel');
    const groupFields = GROUP_FIELDS.filter((field) => field !== 'output' || !members.has('background'));
    if (isOutside) this.#refuseFields(groupFields, 'group', members, owner);
    else this.#refuseFields(COPY_FIELDS, 'command or call', members, owner);
    if (members.has('sources')) this.#refuseFields(['on_resume'], 'no sources', members, owner);
    if (!members.has('run')) this.#refuseFields(COMMAND_FIELDS, 'command', members, owner);
    else if (!members.has('name')) this.#refuseFields(['outputs'], 'name', members, owner);
    return true;
  }

  /** Checks the fields of a command that belong to steps in the background, or that these cannot have. */
  #checkBackground(members: Members, isInBackground: boolean, owner: StepOwner): void {
    if (!isInBackground) {
      this.#refuseFields(['ready'], 'background', members, owner);
      if (members.has('background')) this.#refuseFields(['output'], 'group', members, owner);
      return;
    }
    // A member has a number such as 2.1.
    if (String(owner.step).includes('.')) this.#refuseFields(['background'], 'no member', members, owner);
    this.#refuseFields(ENDING_FIELDS, 'no background', members, owner);
    if (!members.has('ready')) this.#refuseFields(['timeout'], 'ready', members, owner);
  }

  #refuseFields(fields: readonly string[], needs: MisplacedNeed, members: Members, owner: StepOwner): void {
    for (const field of fields) {
      const range = members.get(field)?.range;
      if (range !== undefined) this.#shapes.failMisplaced(field, needs, owner, range);
    }
  }
}

/** An invalid step in a malformed file, of which only the members are checked further. */
function invalidStep(members: readonly Step[], { start }: SourceRange): Step {
  const group = { maxParallel: null, failFast: false, output: 'lines' } as const;
  const none = { condition: undefined, with: NO_VARIABLES, matrix: null, dir: undefined } as const;
  return { kind: 'group', members, group, name: '', ...none, offset: start };
}

/** Whether a step has a misspelt kind, which is an unknown field. */
function hasNearMiss({ members }: ObjectNode): boolean {
  return members.some(({ key }) => !isKnown(key) && KIND_FIELDS.some((field) => isMeantAs(key, field)));
}

function isKnown(key: string): boolean {
  return key.startsWith('x-') || Object.hasOwn(StepFields.entries, key);
}

/** Whether a text is an ASCII command, which needs no further check. */
function isPlainCommand(text: string): boolean {
  return /^[\t\n ]*[!-~][\t\n -~]*$/.test(text);
}
