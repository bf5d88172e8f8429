import { CompletionItemKind } from 'vscode-languageserver-types';
import type { CompletionItem, CompletionList } from 'vscode-languageserver-types';
import {
  fixedValues,
  isTrue,
  items,
  KIND_FIELDS,
  locate,
  memberOf,
  members,
  stringOf,
} from '../../../../src/internal.ts';
import type { JsonNode, Location } from '../../../../src/internal.ts';
import { spotsAt, type At, type Spot } from '../model/names.ts';
import { rangeIn, type Workspace } from '../model/workspace.ts';
import { editAt, type Edit } from './completion_edit.ts';
import { nameCompletions } from './name_completion.ts';
import type { Proposal } from './proposal.ts';
import { keysOf, visibleVariables, visibleWorkflows, type VisibleWorkflow } from './visible_names.ts';

export function completion(workspace: Workspace, at: At): CompletionList {
  const [spot] = spotsAt(workspace, at);
  return { isIncomplete: false, items: spot === undefined ? [] : completionsAt(spot) };
}

function completionsAt(spot: Spot): CompletionItem[] {
  const { lines } = spot.file.part;
  const location = locate(spot.file.part, spot.offset - lines.base);
  const inText = nameCompletions(spot, location);
  if (inText !== undefined) return itemsOf(spot, inText.proposals, inText.edit);
  const edit = editAt(lines, spot.offset, location);
  if (edit === undefined) return [];
  return itemsOf(spot, location.isKey ? keyProposals(spot, location) : valueProposals(spot, location), edit);
}

function itemsOf({ file }: Spot, proposals: readonly Proposal[], edit: Edit): CompletionItem[] {
  return proposals.map(({ label, kind, detail, isLiteral }, index): CompletionItem => {
    const { range, text } = edit(label, isLiteral === true);
    const item = { label, kind, sortText: String(index).padStart(5, '0') };
    const textEdit = { range: rangeIn(file, range), newText: text };
    return detail === undefined || detail === '' ? { ...item, textEdit } : { ...item, detail, textEdit };
  });
}

function keyProposals(spot: Spot, { format, container, string, scope }: Location): readonly Proposal[] {
  const others = container?.kind === 'object' ? container.members.filter((member) => member !== string) : [];
  const given = new Set(others.map(({ key }) => key));
  if (format.fields !== undefined) {
    const hasKind = KIND_FIELDS.some((field) => given.has(field));
    const isStep = KIND_FIELDS.every((field) => Object.hasOwn(format.fields?.values ?? {}, field));
    return Object.keys(format.fields.shape.entries)
      .filter((field) => !given.has(field) && !(isStep && hasKind && KIND_FIELDS.includes(field)))
      .map((label) => ({ label, kind: CompletionItemKind.Property }));
  }
  const step = scope.steps.at(-1)?.node;
  if (format.entries?.keys !== 'variable' || scope.fields.at(-1) !== 'with' || step === undefined) return [];
  const inputs = inputsOf(spot, step).filter(({ key }) => !given.has(key));
  const required = inputs.filter(({ value }) => isTrue(memberOf(value, 'required')));
  return [...required, ...inputs.filter((input) => !required.includes(input))].map(({ key, value }) => {
    return { label: key, kind: CompletionItemKind.Variable, detail: stringOf(memberOf(value, 'description')) ?? '' };
  });
}

function valueProposals(spot: Spot, location: Location): readonly Proposal[] {
  const { format, parent, container, string, key = '', scope } = location;
  switch (format.text) {
    case 'workflow':
      return visibleWorkflows(spot)
        .filter(({ member }) => member !== scope.workflow)
        .map(workflowProposal);
    case 'default workflow':
      return visibleWorkflows(spot).map(workflowProposal);
    case 'condition':
      return visibleVariables(spot, scope, false).map((label) => ({ label, kind: CompletionItemKind.Variable }));
    case 'secret': {
      const others = items(container).filter((item) => item !== string);
      const given = new Set(others.map(stringOf));
      const declared = keysOf(memberOf(spot.file.part.tree, 'secrets')).filter((name) => !given.has(name));
      return declared.map((label) => ({ label, kind: CompletionItemKind.Variable }));
    }
    case 'value':
      return scope.fields.at(-1) === 'with' ? inputValues(spot, location) : [];
    case 'command':
    case 'step name':
    case 'included file':
    case undefined:
      break;
  }
  const shape = parent.fields?.shape.entries[key];
  return fixedValues(shape).map((value) => {
    return { label: String(value), kind: CompletionItemKind.Value, isLiteral: typeof value === 'boolean' };
  });
}

function workflowProposal({ name, member }: VisibleWorkflow): Proposal {
  return {
    label: name,
    kind: CompletionItemKind.Function,
    detail: stringOf(memberOf(member.value, 'description')) ?? '',
  };
}

/** The values of an input that has only some. */
function inputValues(spot: Spot, { key, scope }: Location): readonly Proposal[] {
  const step = scope.steps.at(-1)?.node;
  const input = step && inputsOf(spot, step).find((each) => each.key === key)?.value;
  if (input === undefined) return [];
  const isBoolean = stringOf(memberOf(input, 'type')) === 'boolean';
  const values = items(memberOf(input, 'options')).flatMap((item) => stringOf(item) ?? []);
  const labels = isBoolean ? ['true', 'false'] : values.filter((value) => value !== '');
  return labels.map((label) => ({ label, kind: CompletionItemKind.Value }));
}

/** The declared inputs of the workflow that a step calls. */
function inputsOf(spot: Spot, step: JsonNode): readonly Readonly<{ key: string; value: JsonNode }>[] {
  const called = stringOf(memberOf(step, 'workflow'));
  const workflow = visibleWorkflows(spot).find(({ name }) => name === called);
  return members(memberOf(workflow?.member.value, 'inputs')).filter(({ key }) => !key.startsWith('x-'));
}
