import { relative } from 'node:path';
import type { Range, TextEdit, WorkspaceEdit } from 'vscode-languageserver';
import { failure, memberOf, type FoundName, type Result, sitesIn } from '../../../../src/internal.ts';
import type { Client } from '../model/client.ts';
import { fileAt, locationOf, rangeIn, type Root, type RootFile, type Workspace } from '../model/workspace.ts';
import { nameAt, namesOf, sameNames, spotsAt, stepOf, type At, type Spot } from '../model/names.ts';
import { rootDiagnostics } from '../model/diagnostics.ts';
import { newErrors, type FileEdit } from './edited_project.ts';

/** The range of the name at a position, and the name, if it can be renamed. */
export function prepareRename(workspace: Workspace, at: At): Readonly<{ range: Range; placeholder: string }> | null {
  for (const spot of spotsAt(workspace, at)) {
    const target = renamed(spot);
    if (target !== undefined) return { range: rangeIn(spot.file, target.range), placeholder: localName(target, spot) };
  }
  return null;
}

/** The name at a place, unless it is that of a step that has none of its own, or only a word. */
function renamed(spot: Spot): FoundName | undefined {
  const target = nameAt(spot);
  if (target?.certain !== true) return undefined;
  const isKnown = sameNames(spot.root, target).some(({ role }) => role === 'definition');
  return isKnown || target.kind === 'variable' ? target : undefined;
}

/** A name without the prefixes of includes. */
function localName({ kind, name }: FoundName, { root }: Spot): string {
  if (kind !== 'workflow') return name;
  const prefixes = root.copies.map(({ part }) => part.prefix).toSorted((one, other) => other.length - one.length);
  return name.slice((prefixes.find((prefix) => name.startsWith(prefix)) ?? '').length);
}

/** The edits of a rename, or the reason for its refusal; null if there is no name. */
export type Renamed = Result<WorkspaceEdit> | null;

/** Renames the name at a position everywhere, or nowhere. */
export function rename(workspace: Workspace, at: At, name: string, client: Client): Renamed {
  const spots = spotsAt(workspace, at).flatMap((spot) => {
    const target = renamed(spot);
    return target === undefined ? [] : [{ spot, target }];
  });
  const [first] = spots;
  if (first === undefined) return null;
  const old = localName(first.target, first.spot);
  const refused = (reason: string): Renamed => failure(`cannot rename ${old}: ${reason}`);
  const edits = new Map<string, Map<string, FileEdit>>();
  for (const { spot, target } of spots) {
    const same = sameNames(spot.root, target);
    const problem = problemWith(workspace, spot.root, target, same, name);
    if (problem !== undefined) return refused(problem);
    for (const each of same) addEdit(edits, spot.root, each, JSON.stringify(name).slice(1, -1));
  }
  const all: FileEdit[] = [];
  for (const own of edits.values()) all.push(...own.values());
  for (const { file } of all)
    if (!workspace.contains(file.path))
      return refused(`${shown(spots[0]?.spot.root, file)} is outside of the workspace`);
  const error =
    name === old
      ? undefined
      : newErrors(
          workspace,
          spots.map(({ spot }) => spot.root),
          all,
        );
  if (error !== undefined) return refused(error);
  return { ok: true, value: workspaceEdit(workspace, edits, client) };
}

function addEdit(edits: Map<string, Map<string, FileEdit>>, root: Root, { range }: FoundName, text: string): void {
  const file = fileAt(root, range.start);
  if (file === undefined) return;
  const { base } = file.part.lines;
  const own = edits.get(file.uri) ?? new Map<string, FileEdit>();
  const edit = { file, start: range.start - base, end: range.end - base, text, range: rangeIn(file, range) };
  own.set(String(edit.start), edit);
  edits.set(file.uri, own);
}

/** The reason why a name cannot be changed in a root; undefined if it can. */
function problemWith(
  workspace: Workspace,
  root: Root,
  target: FoundName,
  same: readonly FoundName[],
  name: string,
): string | undefined {
  const broken = rootDiagnostics(root, workspace).find(({ diagnostic }) => diagnostic.code === 'syntax');
  if (broken !== undefined) return `${broken.detailed.diagnostic.file} is not valid JSON`;
  const { kind } = target;
  if (kind === 'step' || kind === 'output') {
    const problem = stepProblem(root, stepOf(target), same);
    if (problem !== undefined) return problem;
  }
  if (kind === 'variable') {
    if (same.every(({ role }) => role === 'use')) return 'its value is set outside of the file';
    const words = namesOf(root).filter((each) => each.kind === kind && each.name === target.name && !each.certain);
    const places = words.flatMap(({ range }) => placesOf(root, range));
    if (words.length > 0) return `it is also a word that is not expanded there: ${places.join(', ')}`;
  }
  if ((kind === 'step' || kind === 'variable') && name !== target.name) {
    const place = mentionOf(root, kind, name);
    if (place !== undefined) return `'${name}' is already at ${placesOf(root, place).join(', ')}`;
  }
  return undefined;
}

/** A problem with the steps of a name: there are several, or it has a matrix. */
function stepProblem(root: Root, step: string, same: readonly FoundName[]): string | undefined {
  const definitions = namesOf(root).filter(
    (each) => each.kind === 'step' && each.role === 'definition' && each.name === step,
  );
  const workflows = new Set(same.map(({ workflow }) => workflow));
  const own = definitions.filter(({ workflow }) => workflows.has(workflow));
  if (definitions.length > 1) return `there are several steps with the name '${step}'`;
  const hasMatrix = own.some(({ site }) =>
    site.scope.steps.some(({ node }) => node && memberOf(node, 'matrix') !== undefined),
  );
  return hasMatrix ? 'the step has a matrix' : undefined;
}

/** Places in the form `file:line:column`. */
function placesOf(root: Root, range: FoundName['range']): readonly string[] {
  return locationOf(root, range).map(({ uri, range: { start } }) => {
    const file = root.files.find((each) => each.uri === uri);
    return `${file === undefined ? uri : shown(root, file)}:${start.line + 1}:${start.character + 1}`;
  });
}

/** The path of a file as messages of its root show it. */
function shown(root: Root | undefined, { path }: RootFile): string {
  const way = root === undefined ? path : relative(root.folder, path);
  return way.startsWith('..') ? path : way;
}

function workspaceEdit(
  workspace: Workspace,
  edits: ReadonlyMap<string, ReadonlyMap<string, FileEdit>>,
  { hasDocumentChanges }: Client,
): WorkspaceEdit {
  const byUri = [...edits].map(([uri, own]) => {
    return [uri, [...own.values()].map(({ range, text }): TextEdit => ({ range, newText: text }))] as const;
  });
  if (!hasDocumentChanges) return { changes: Object.fromEntries(byUri) };
  const documentChanges = byUri.map(([uri, changes]) => {
    const version = workspace.openFile(uri)?.document.version ?? null;
    return { textDocument: { uri, version }, edits: [...changes] };
  });
  return { documentChanges };
}

/** The first place where the name of a step or variable already stands: set, used or mentioned in a command. */
function mentionOf(root: Root, kind: 'step' | 'variable', name: string): FoundName['range'] | undefined {
  const named = namesOf(root).find((each) => each.name === name && each.kind === kind);
  if (named !== undefined) return named.range;
  for (const { part } of root.files) {
    for (const site of sitesIn(part.tree, part.lines)) {
      const step = site.scope.steps.at(-1);
      if (kind === 'step' && step?.isNamed === false && step.name === name && site.kind === 'text') {
        return site.text.rangeOf(0, 0);
      }
      if (site.kind !== 'text' || !['command', 'condition', 'value'].includes(site.meaning)) continue;
      if (kind === 'variable' && site.meaning === 'value') continue;
      const start = placeIn(site.text.text, kind, name);
      if (start !== undefined) return site.text.rangeOf(start, start + name.length);
    }
  }
  return undefined;
}

/** The offset of the first mention in a text. */
function placeIn(text: string, kind: 'step' | 'variable', name: string): number | undefined {
  if (kind === 'variable') return [...text.matchAll(/\w+/g)].find(([word]) => word === name)?.index;
  const start = text.indexOf(`\${steps.${name}.`);
  return start === -1 ? undefined : start + '${steps.'.length;
}
