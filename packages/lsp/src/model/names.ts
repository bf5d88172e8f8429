import type { Location, Position } from 'vscode-languageserver';
import { foundNames, loadedProject, type FoundName } from '../../../../src/internal.ts';
import { locationOf, type Root, type RootFile, type Workspace } from './workspace.ts';

/** A place in a file of a root: the document's, and its offset in the root. */
export type Spot = Readonly<{ root: Root; file: RootFile; offset: number }>;

/** A position of a document, as the protocol writes it. */
export type At = Readonly<{ textDocument: Readonly<{ uri: string }>; position: Position }>;

/** The places of a position of an open document, one for each root. */
export function spotsAt(workspace: Workspace, { textDocument: { uri }, position }: At): readonly Spot[] {
  const open = workspace.openFile(uri);
  if (open === undefined) return [];
  const offset = open.document.offsetAt(position);
  const exact = open.document.positionAt(offset);
  // A position outside of the text.
  if (exact.line !== position.line || exact.character !== position.character) return [];
  return workspace.rootsOf(open).map(({ root, file }) => ({ root, file, offset: file.part.lines.base + offset }));
}

const known = new WeakMap<Root, readonly FoundName[]>();

/** The names of a root. They are found once per project. */
export function namesOf(root: Root): readonly FoundName[] {
  const names = known.get(root) ?? canonical(root, foundNames(loadedProject(root.project)));
  known.set(root, names);
  return names;
}

/** Names of workflows in a file that is included several times get the prefix of its first copy. */
function canonical(root: Root, names: readonly FoundName[]): readonly FoundName[] {
  const loaded = loadedProject(root.project);
  const parts = loaded.kind === 'read' ? loaded.parts : [];
  if (parts.length === root.files.length) return names;
  const prefixes = parts
    .map(({ prefix, real }) => ({ prefix, first: root.files.find(({ path }) => path === real)?.part.prefix ?? prefix }))
    .toSorted((one, other) => other.prefix.length - one.prefix.length);
  return names.map((each) => {
    const own = each.kind === 'workflow' ? prefixes.find(({ prefix }) => each.name.startsWith(prefix)) : undefined;
    return own === undefined ? each : Object.assign({}, each, { name: own.first + each.name.slice(own.prefix.length) });
  });
}

/** The name at a place. A name at its end counts, too. */
export function nameAt({ root, offset }: Spot): FoundName | undefined {
  const here = namesOf(root).filter(({ range }) => range.start <= offset && offset <= range.end);
  return here.find(({ range }) => offset < range.end) ?? here[0];
}

/** The definitions and uses of what a name means. Uncertain words are left out. */
export function sameNames(root: Root, target: FoundName): readonly FoundName[] {
  const names = namesOf(root).filter(({ kind, certain }) => kind === target.kind && certain);
  if (target.kind === 'workflow' || target.kind === 'variable') return names.filter(({ name }) => name === target.name);
  const step = stepOf(target);
  const owners = new Set(stepOwners(root, step));
  // A reference means a step of its own workflow if there is one, and otherwise any of that name.
  const home = ({ workflow }: FoundName): string | undefined => (owners.has(workflow) ? workflow : undefined);
  const isSame = (one: FoundName): boolean => {
    const [own, other] = [home(one), home(target)];
    return own === undefined || other === undefined || own === other;
  };
  return names.filter((each) => stepOf(each) === step && each.name === target.name && isSame(each));
}

/** The name of the step that a name means, or whose output it means. */
export function stepOf({ kind, name, step = '' }: FoundName): string {
  return kind === 'step' ? name : step;
}

/** The workflows with a step of a name. */
function stepOwners(root: Root, step: string): readonly string[] {
  return namesOf(root).flatMap(({ kind, role, name, workflow }) => {
    return kind === 'step' && role === 'definition' && name === step ? [workflow] : [];
  });
}

/** The places of what the names at some spots mean, as far as they are wanted, each once, by file and place. */
export function locationsOf(spots: readonly Spot[], isWanted: (name: FoundName) => boolean): Location[] {
  const all = new Map<string, Location>();
  for (const spot of spots) {
    const name = nameAt(spot);
    const same = name === undefined ? [] : sameNames(spot.root, name).filter(isWanted);
    for (const { range } of same) for (const each of locationOf(spot.root, range)) all.set(JSON.stringify(each), each);
  }
  return [...all.values()];
}
