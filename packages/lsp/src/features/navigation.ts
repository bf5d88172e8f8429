import { resolve, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SymbolKind } from 'vscode-languageserver-types';
import type { CodeLens, DocumentLink, DocumentSymbol, Location, Range } from 'vscode-languageserver-types';
import {
  generatedName,
  isTrue,
  items,
  locate,
  memberOf,
  members,
  sitesIn,
  stringOf,
} from '../../../../src/internal.ts';
import type { JsonNode, Member } from '../../../../src/internal.ts';
import { locationsOf, spotsAt, type At } from '../model/names.ts';
import { rangeIn, type RootFile, type Workspace } from '../model/workspace.ts';

/** Where the name at a position is defined, or the included file at it. */
export function definition(workspace: Workspace, at: At): Location[] {
  const spots = spotsAt(workspace, at);
  const files = spots.flatMap(({ root, file, offset }) => {
    const { format, string } = locate(file.part, offset - file.part.lines.base);
    if (format.text !== 'included file' || string === undefined || !('kind' in string)) return [];
    const path = includedPath(file, string.value);
    const found = root.files.find((each) => each.path === path);
    return { uri: found?.uri ?? pathToFileURL(path).href, range: START };
  });
  if (files.length > 0) return files.slice(0, 1);
  return locationsOf(spots, ({ role }) => role === 'definition');
}

const START: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** The path of an included file, as it is found from the including one. */
function includedPath({ path }: RootFile, file: string): string {
  return resolve(dirname(path), file);
}

/** The uses of the name at a position, and its definitions if they are asked for. */
export function references(workspace: Workspace, at: At, withDefinitions: boolean): Location[] {
  return locationsOf(spotsAt(workspace, at), ({ role }) => withDefinitions || role === 'use');
}

/** The file of a document in its first root. */
function fileOf(workspace: Workspace, uri: string): RootFile | undefined {
  const open = workspace.openFile(uri);
  return open && workspace.rootsOf(open)[0]?.file;
}

/** The workflows of a document, with their steps. */
export function symbols(workspace: Workspace, uri: string): DocumentSymbol[] {
  const file = fileOf(workspace, uri);
  return workflowsIn(file).map(({ member, file: own }): DocumentSymbol => {
    return {
      name: member.key === '' ? '""' : member.key,
      detail: stringOf(memberOf(member.value, 'description')) ?? '',
      kind: SymbolKind.Function,
      range: rangeIn(own, { start: member.start, end: Math.max(member.end, member.value.end) }),
      selectionRange: rangeIn(own, member),
      children: stepSymbols(own, items(memberOf(member.value, 'steps')), ''),
    };
  });
}

function stepSymbols(file: RootFile, steps: readonly JsonNode[], group: string): DocumentSymbol[] {
  return steps.flatMap((step, index) => {
    if (step.kind !== 'object' && step.kind !== 'string') return [];
    const number = `${group}${index + 1}`;
    const name = memberOf(step, 'name');
    const range = rangeIn(file, step);
    return {
      name: stringOf(name) || generatedName(number),
      kind: SymbolKind.Event,
      range,
      selectionRange: name === undefined ? range : rangeIn(file, name),
      children: stepSymbols(file, items(memberOf(step, 'parallel')), `${number}.`),
    };
  });
}

/** The files that a document includes. */
export function links(workspace: Workspace, uri: string): DocumentLink[] {
  const file = fileOf(workspace, uri);
  if (file === undefined) return [];
  const { tree, lines } = file.part;
  return [...sitesIn(tree, lines)].flatMap((site) => {
    if (site.kind !== 'text' || site.meaning !== 'included file' || /^[a-z][\w+.-]*:\/\//i.test(site.text.text))
      return [];
    const range = rangeIn(file, site.text.rangeOf(0, site.text.text.length));
    return { range, target: pathToFileURL(includedPath(file, site.text.text)).href };
  });
}

const LENSES = [
  ['Run', 'workflow-plan.run'],
  ['Dry run', 'workflow-plan.dryRun'],
  ['Graph', 'workflow-plan.graph'],
] as const;

/** The commands of the editor for the public workflows of a document. */
export function lenses(workspace: Workspace, uri: string, commands: readonly string[]): CodeLens[] {
  return workflowsIn(fileOf(workspace, uri)).flatMap(({ member, file }) => {
    if (isTrue(memberOf(member.value, 'private'))) return [];
    const range = rangeIn(file, member);
    return LENSES.flatMap(([title, command]) =>
      commands.includes(command) ? [{ range, command: { title, command, arguments: [uri, member.key] } }] : [],
    );
  });
}

function workflowsIn(file: RootFile | undefined): readonly Readonly<{ member: Member; file: RootFile }>[] {
  if (file === undefined) return [];
  return members(memberOf(file.part.tree, 'workflows')).map((member) => ({ member, file }));
}
