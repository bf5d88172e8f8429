import type { Step } from '../ast.ts';
import type { Owner, SourceRange } from '../diagnostics/diagnostic.ts';
import type { DiagnosticCollector } from '../diagnostics/diagnostic_collector.ts';
import * as schema from '../schema/schema.ts';
import { rangeOf, type JsonNode, type ObjectNode } from '../syntax/json_tree.ts';
import { DEFAULT_OPTIONS, type OptionChecker } from './option_checker.ts';
import { openingBrace, type Members, type ShapeChecker } from './shape_checker.ts';
import type { TextChecker } from './text_checker.ts';
import { NO_VARIABLES, type VariableChecker } from './variable_checker.ts';

/** The step that a node belongs to. */
export type StepOwner = Required<Owner>;

/** A step's call of another workflow, found even if other parts of the step or file are invalid. */
export type CallSite = Readonly<{ owner: Owner; target: string; range: SourceRange }>;

/** What a step checker is made of. */
type Parts = Readonly<{
  diagnostics: DiagnosticCollector;
  shapes: ShapeChecker;
  texts: TextChecker;
  variables: VariableChecker;
  options: OptionChecker;
}>;

/** What the fields become that every step can have: `if` is the condition. */
type SharedResult = Step & { readonly if: Step['condition'] };

/** Reads the steps of workflows. */
export class StepChecker {
  readonly calls: CallSite[] = [];
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The step, or nothing if it is invalid. */
  step(node: JsonNode, owner: StepOwner): Step[] {
    if (node.kind === 'string') return this.#shortStep(node.value, node, owner);
    if (node.kind === 'object') return this.#longStep(node, owner);
    this.#parts.shapes.failRule(node, 'a step', '', owner);
    return [];
  }

  /** A step that is a string: its command. */
  #shortStep(text: string, node: JsonNode, owner: StepOwner): Step[] {
    const { shapes, texts } = this.#parts;
    if (!shapes.checkValue(node, schema.Command, 'run', owner)) return [];
    const command = texts.commandText(text, rangeOf(node), 'run', owner);
    const fields = { name: generatedName(owner), condition: undefined, with: NO_VARIABLES, dir: undefined };
    return [{ kind: 'run', command, ...fields, options: DEFAULT_OPTIONS, offset: node.start }];
  }

  #longStep(node: ObjectNode, owner: StepOwner): Step[] {
    const { shapes, texts, variables, options } = this.#parts;
    const { values, members } = shapes.checkFields(node, schema.StepFields, owner);
    this.#findCall(members, owner);
    texts.warnUnexpanded(members.get('dir')?.value, 'dir', owner);
    const fields: schema.EveryField<typeof schema.SharedFields, SharedResult> = {
      name: values?.name ?? generatedName(owner),
      if: texts.condition(members, owner),
      with: variables.variables(members.get('with'), owner),
      dir: values?.dir,
    };
    const { if: condition, ...others } = fields;
    const shared = { ...others, condition, offset: node.start };
    const stepOptions = options.options(members, values, owner);
    const command = texts.fieldText(members, 'run', owner);
    if (!this.#checkKind(node, members, owner) || values === undefined) return [];
    if (values.workflow !== undefined) return [{ kind: 'call', workflow: values.workflow, ...shared }];
    return command === undefined ? [] : [{ kind: 'run', command, ...shared, options: stepOptions }];
  }

  #findCall(members: Members, owner: StepOwner): void {
    const target = members.get('workflow')?.value;
    if (target?.kind !== 'string' || schema.brokenRule(schema.Name, target.value) !== undefined) return;
    this.calls.push({ owner, target: target.value, range: rangeOf(target) });
  }

  /** Checks that a step has exactly one of `run` and `workflow`, and no field of the other kind. */
  #checkKind(node: ObjectNode, members: Members, owner: StepOwner): boolean {
    const { diagnostics } = this.#parts;
    const isCall = members.has('workflow');
    if (members.has('run') === isCall) {
      if (isCall) diagnostics.fail({ code: 'ambiguous step' }, owner, rangeOf(node));
      else diagnostics.fail({ code: 'empty step' }, owner, openingBrace(node));
      return false;
    }
    if (isCall) this.#refuseFields(schema.COMMAND_FIELDS, 'command', members, owner);
    else if (!members.has('name')) this.#refuseFields(['outputs'], 'name', members, owner);
    return true;
  }

  #refuseFields(fields: readonly string[], needs: 'command' | 'name', members: Members, owner: StepOwner): void {
    for (const field of fields) {
      const range = members.get(field)?.range;
      if (range !== undefined) this.#parts.diagnostics.fail({ code: 'misplaced field', field, needs }, owner, range);
    }
  }
}

function generatedName({ step }: StepOwner): string {
  return `step_${step}`;
}
