import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { disk, load, parse, type Files, type Project, type Place } from '../../../../src/api.ts';
import { DEFAULT_FILE, findDirectory, loadedProject, parseTolerantly } from '../../../../src/internal.ts';
import type { NamedPart, FoundName } from '../../../../src/internal.ts';
import type { Location, Range } from 'vscode-languageserver';

type SourceRange = FoundName['range'];

/** The range of a place in a document. */
export function rangeOfPlace({ line, column, endLine, endColumn }: Omit<Place, 'file'>): Range {
  return { start: { line: line - 1, character: column - 1 }, end: { line: endLine - 1, character: endColumn - 1 } };
}

/** The range of offsets in a file. */
export function rangeIn({ part: { lines } }: RootFile, { start, end }: SourceRange): Range {
  const [from, to] = [lines.position(start), lines.position(end)];
  return rangeOfPlace({ line: from.line, column: from.column, endLine: to.line, endColumn: to.column });
}

/** The file of a root that contains an offset. */
export function fileAt({ files }: Root, offset: number): RootFile | undefined {
  return files.find(({ part: { lines } }) => lines.base <= offset && offset <= lines.base + lines.text.length);
}

export function locationOf(root: Root, range: SourceRange): Location[] {
  const file = fileAt(root, range.start);
  return file === undefined ? [] : [{ uri: file.uri, range: rangeIn(file, range) }];
}

/** The language of a workflow file that an editor may give. */
const LANGUAGE = 'workflow-plan';

/** A file of a root: where it is, and its content. `part` is its first copy. */
export type RootFile = Readonly<{ path: string; uri: string; part: NamedPart }>;

/**
 * A workflow file that is not included by another one, with its project. Paths in its messages are relative to `folder`.
 * `copies` has a file once for each time that it is included, `files` only the first time.
 */
export type Root = Readonly<{ path: string; folder: string; project: Project }> &
  Readonly<{ files: readonly RootFile[]; copies: readonly RootFile[] }>;

/** An open document that is a workflow file. */
export type OpenFile = Readonly<{ path: string; document: TextDocument }>;

/** The open documents, and the projects that they belong to. Projects are read again after each change. */
export class Workspace {
  folders: readonly string[] = [];
  /** Whether diagnostics include those of `validate --portable`. */
  isPortable = false;
  readonly #documents: () => readonly TextDocument[];
  #known: Readonly<{ open: readonly OpenFile[]; roots: readonly Root[] }> | undefined;

  constructor(documents: () => readonly TextDocument[]) {
    this.#documents = documents;
  }

  /** Forgets what was read. */
  change(): void {
    this.#known = undefined;
  }

  /** The open workflow files. */
  get open(): readonly OpenFile[] {
    return this.#state().open;
  }

  get roots(): readonly Root[] {
    return this.#state().roots;
  }

  /** The open workflow file with a URI. */
  openFile(uri: string): OpenFile | undefined {
    return this.open.find(({ document }) => document.uri === uri);
  }

  /** The roots that a file belongs to, each with the file. */
  rootsOf({ path }: OpenFile): readonly Readonly<{ root: Root; file: RootFile }>[] {
    return this.roots.flatMap((root) => {
      const file = root.files.find((each) => each.path === path);
      return file === undefined ? [] : [{ root, file }];
    });
  }

  /** The URI of a path, as the editor writes it. */
  uriOf(path: string): string {
    return this.open.find((file) => file.path === path)?.document.uri ?? pathToFileURL(path).href;
  }

  /** Whether a path lies in a folder of the workspace. */
  contains(path: string): boolean {
    return this.folders.length === 0 || this.folders.some((folder) => isInside(realOf(folder), path));
  }

  /** A root with other texts of some files. */
  edited({ path }: Root, texts: ReadonlyMap<string, string>): Root {
    const open = new Map(this.open.map(({ path: own, document }) => [own, textOf(document)]));
    return this.#root(path, new Map([...open, ...texts]));
  }

  #state(): Readonly<{ open: readonly OpenFile[]; roots: readonly Root[] }> {
    if (this.#known !== undefined) return this.#known;
    const open = this.#documents().flatMap((document) => {
      const path = pathOf(document.uri);
      return path !== undefined && isWorkflowFile(document, path) ? [{ path: realOf(path), document }] : [];
    });
    this.#known = { open, roots: [] };
    this.#known = { open, roots: this.#findRoots(open) };
    return this.#known;
  }

  /** The open files, and the default files that `cli` finds from them, unless another one includes them. */
  #findRoots(open: readonly OpenFile[]): readonly Root[] {
    const found = open.flatMap(({ path }) => {
      const directory = findDirectory(dirname(path));
      return directory === undefined ? [] : [realOf(join(directory, DEFAULT_FILE))];
    });
    const texts = new Map(open.map(({ path, document }) => [path, textOf(document)]));
    const candidates = [...new Set([...found, ...open.map(({ path }) => path)])].map((path) => this.#root(path, texts));
    const includes = (root: Root, path: string): boolean => root.files.slice(1).some((file) => file.path === path);
    return candidates.filter((root, index) =>
      candidates.every((other, place) => {
        const isIncluded = other !== root && includes(other, root.path);
        // Of two files that include each other, the first one is the root.
        return !isIncluded || (index < place && includes(root, other.path));
      }),
    );
  }

  #root(path: string, texts: ReadonlyMap<string, string>): Root {
    const folder = this.#folderOf(path);
    const absolute = (each: string): string => resolve(folder, each);
    const files: Files = {
      read: (each) => texts.get(realOf(absolute(each))) ?? disk.read(absolute(each)),
      realPath: (each) => realOf(absolute(each)),
    };
    const shown = relative(folder, path);
    const text = texts.get(path);
    const project = text === undefined ? load(shown, { files }) : parse(text, { path: shown, files });
    const loaded = loadedProject(project);
    const parts = loaded.kind === 'read' ? loaded.parts : [];
    const copies = parts.map((part) => ({ path: part.real, uri: this.uriOf(part.real), part }));
    const first = copies.filter((file, index) => copies.findIndex((each) => each.path === file.path) === index);
    return { path, folder, project, files: first, copies };
  }

  /** The folder of the workspace with a path; outside of them, the directory from which `cli` finds the file. */
  #folderOf(path: string): string {
    const inside = this.folders.map(realOf).filter((folder) => isInside(folder, path));
    const [innermost] = inside.toSorted((one, other) => other.length - one.length);
    const directory = dirname(path);
    return innermost ?? (`/${path}`.endsWith(`/${DEFAULT_FILE}`) ? dirname(directory) : directory);
  }
}

/** The path of a file; a URI of another kind is a path of its own. */
export function pathOf(uri: string): string | undefined {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : `/${uri}`;
  } catch {
    // Malformed, or of another machine.
    return undefined;
  }
}

/** The text of a document. A byte-order mark becomes a blank, so that all offsets stay the same. */
function textOf(document: TextDocument): string {
  return document.getText().replace(/^\uFEFF/, ' ');
}

function realOf(path: string): string {
  return disk.realPath?.(path) ?? path;
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !/^\.\.(?:\/|$)/.test(way);
}

function isWorkflowFile(document: TextDocument, path: string): boolean {
  if (document.languageId === LANGUAGE) return true;
  const isOwn = basename(dirname(path)) === '.cli' && /\.jsonc?$/.test(path) && basename(path) !== 'schema.json';
  return isOwn || hasWorkflows(document.getText());
}

/** Whether a text has the top-level key `workflows`. */
function hasWorkflows(text: string): boolean {
  if (!/"workflows"|\\u00/.test(text)) return false;
  const tree = parseTolerantly(text);
  return tree?.kind === 'object' && tree.members.some(({ key }) => key === 'workflows');
}
