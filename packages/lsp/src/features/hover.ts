import type { Hover } from 'vscode-languageserver';
import { compile, explain, link } from '../../../../src/api.ts';
import {
  explanationText,
  fieldHelp,
  inputLines,
  isSecret,
  items,
  memberOf,
  sitesIn,
  stringOf,
} from '../../../../src/internal.ts';
import type { FoundName, JsonNode } from '../../../../src/internal.ts';
import { nameAt, sameNames, spotsAt, type At, type Spot } from '../model/names.ts';
import { rangeIn, type Workspace } from '../model/workspace.ts';

/** The help on the name or field at a position; null if there is none. */
export function hover(workspace: Workspace, at: At): Hover | null {
  for (const spot of spotsAt(workspace, at)) {
    const name = nameAt(spot);
    const found = name?.certain === true ? aboutName(spot, name) : undefined;
    if (name !== undefined && found !== undefined) return hoverOf(spot, name.range, found);
    const field = name === undefined ? aboutField(spot) : undefined;
    if (field !== undefined) return field;
  }
  return null;
}

function hoverOf({ file }: Spot, range: FoundName['range'], value: string): Hover {
  return { contents: { kind: 'markdown', value }, range: rangeIn(file, range) };
}

function aboutName(spot: Spot, name: FoundName): string | undefined {
  if (name.kind === 'workflow') return aboutWorkflow(spot, name);
  if (name.kind === 'variable') return aboutVariable(spot, name);
  return aboutStep(spot, name);
}

function aboutWorkflow({ root }: Spot, { name }: FoundName): string | undefined {
  const workflow = root.files.map(({ part }) => part.checker.workflows.get(name)).find((each) => each !== undefined);
  if (workflow === undefined) return undefined;
  const { description, inputs } = workflow;
  const lines = inputLines(inputs ?? [], isSecret);
  return [
    `**${escapeMarkdown(name)}**`,
    ...(description === '' ? [] : [escapeMarkdown(description)]),
    ...(lines.length === 0 ? [] : [block(['Inputs:', ...lines].join('\n'))]),
  ].join('\n\n');
}

/** The text of `cli explain` about a variable in a step, or in a workflow. */
function aboutVariable({ root }: Spot, { name, workflow, site }: FoundName): string | undefined {
  if (workflow === '' || !root.project.valid) return undefined;
  const compiled = compile(root.project, workflow);
  if (!compiled.ok) return undefined;
  const linked = link(compiled.plan);
  const step = site.scope.steps.at(-1)?.number;
  const query = step === undefined ? { variable: name } : { variable: name, step };
  const steps = explain(linked.ok ? linked.plan : compiled.plan, query);
  const text = [...explanationText(steps.map((each) => Object.assign({ reads: undefined }, each)))].join('');
  return text === '' ? undefined : block(text.trimEnd());
}

function aboutStep({ root }: Spot, target: FoundName): string | undefined {
  const definition = sameNames(root, target).find(({ role }) => role === 'definition');
  const scope = definition?.site.scope;
  const step = scope?.steps.at(-1);
  if (definition === undefined || step?.node === undefined) return undefined;
  const path = target.kind === 'output' ? stringOf(memberOf(memberOf(step.node, 'outputs'), target.name)) : undefined;
  const command = commandOf(step.node);
  return [
    `**${escapeMarkdown(step.name)}** (step ${step.number} of ${escapeMarkdown(definition.workflow)})`,
    ...(command === undefined ? [] : [block(command, 'sh')]),
    ...(path === undefined ? [] : [`\`${target.name}\`: \`${path}\``]),
  ].join('\n\n');
}

function commandOf(step: JsonNode): string | undefined {
  const run = memberOf(step, 'run');
  if (run?.kind !== 'array') return stringOf(run);
  return items(run)
    .flatMap((item) => stringOf(item) ?? [])
    .join('\n');
}

function aboutField(spot: Spot): Hover | undefined {
  const { tree, lines } = spot.file.part;
  for (const site of sitesIn(tree, lines)) {
    if (site.kind !== 'field') continue;
    const { member, fields } = site;
    if (spot.offset < member.start || spot.offset > member.end) continue;
    const doc = fields.docs[member.key];
    return doc && hoverOf(spot, { start: member.start, end: member.end }, fieldHelp(member.key, doc));
  }
  return undefined;
}

function block(text: string, language = 'text'): string {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>]/g, (character) => `\\${character}`);
}
