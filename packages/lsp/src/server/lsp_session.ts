import type {
  CodeAction,
  CodeActionParams,
  CodeLens,
  CompletionList,
  Diagnostic,
  DocumentLink,
  DocumentSymbol,
  Hover,
  InitializeParams,
  Location,
  PublishDiagnosticsParams,
  ReferenceParams,
  RenameParams,
  WorkspaceFoldersChangeEvent,
} from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { completion } from '../features/completion.ts';
import { hover } from '../features/hover.ts';
import { definition, lenses, links, references, symbols } from '../features/navigation.ts';
import { prepareRename, rename, type Renamed } from '../features/rename.ts';
import { clientOf, type Client } from '../model/client.ts';
import { codeActions, diagnosticsByUri } from '../model/diagnostics.ts';
import type { At } from '../model/names.ts';
import { pathOf, Workspace } from '../model/workspace.ts';

/** Changes within this time share one check, in milliseconds. */
const WAIT = 200;

type Send = (params: PublishDiagnosticsParams) => void;

/** Publishes diagnostics: of an open document after each change, of others when they change. */
class Publisher {
  readonly #workspace: Workspace;
  readonly #send: Send;
  #timer: NodeJS.Timeout | undefined;
  /** The published state: the version, and the diagnostics as text. */
  readonly #published = new Map<string, Readonly<{ version: number | undefined; text: string }>>();

  constructor(workspace: Workspace, send: Send) {
    this.#workspace = workspace;
    this.#send = send;
  }

  /** Publishes after a delay, or together with what is already due. */
  schedule(delay: number): void {
    if (delay === 0) clearTimeout(this.#timer);
    if (delay === 0 || this.#timer === undefined) this.#timer = setTimeout(() => this.publish(), delay);
  }

  /** Publishes the diagnostics of all documents that need it. */
  publish(): void {
    this.end();
    const all = diagnosticsByUri(this.#workspace);
    for (const [uri, diagnostics] of all) this.#put(uri, diagnostics);
    for (const uri of this.#published.keys()) if (!all.has(uri)) this.#put(uri, []);
  }

  /** Publishes nothing more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #put(uri: string, diagnostics: readonly Diagnostic[]): void {
    const version = this.#workspace.openFile(uri)?.document.version;
    const text = JSON.stringify(diagnostics);
    const before = this.#published.get(uri);
    if (before?.text === text && before.version === version) return;
    if (before === undefined && diagnostics.length === 0 && version === undefined) return;
    if (diagnostics.length === 0 && version === undefined) this.#published.delete(uri);
    else this.#published.set(uri, { version, text });
    this.#send({ uri, diagnostics: [...diagnostics], ...(version !== undefined && { version }) });
  }
}

/** The requirements of a session. `params` come from the editor. */
type SessionParts = Readonly<{ params: InitializeParams; documents: () => readonly TextDocument[]; send: Send }>;

/** The answers to the requests of an editor. A part of its own, because an editor waits for the start of the server. */
export class Session {
  readonly #workspace: Workspace;
  readonly #publisher: Publisher;
  readonly #client: Client;

  constructor({ params, documents, send }: SessionParts) {
    this.#workspace = new Workspace(documents);
    this.#workspace.folders = foldersOf(params);
    this.#publisher = new Publisher(this.#workspace, send);
    this.#client = clientOf(params);
    this.#workspace.isPortable = this.#client.isPortable;
  }

  /** Publishes the diagnostics of changed files: soon, or at once. */
  update(isSoon: boolean): void {
    this.#workspace.change();
    this.#publisher.schedule(isSoon ? WAIT : 0);
  }

  changeFolders({ added, removed }: WorkspaceFoldersChangeEvent): void {
    const gone = new Set(removed.map(({ uri }) => pathOf(uri)));
    const kept = this.#workspace.folders.filter((folder) => !gone.has(folder));
    this.#workspace.folders = [...kept, ...added.flatMap(({ uri }) => pathOf(uri) ?? [])];
    this.update(false);
  }

  end(): void {
    this.#publisher.end();
  }

  readonly completion = (at: At): CompletionList => completion(this.#workspace, at);

  readonly hover = (at: At): Hover | null => hover(this.#workspace, at);

  readonly definition = (at: At): Location[] => definition(this.#workspace, at);

  readonly references = (at: ReferenceParams): Location[] =>
    references(this.#workspace, at, at.context.includeDeclaration);

  readonly prepareRename = (at: At): ReturnType<typeof prepareRename> => prepareRename(this.#workspace, at);

  readonly rename = (at: RenameParams): Renamed => rename(this.#workspace, at, at.newName, this.#client);

  readonly codeActions = ({ textDocument: { uri }, range: { start, end } }: CodeActionParams): CodeAction[] =>
    codeActions(this.#workspace, uri, start.line, end.line);

  readonly symbols = ({ textDocument: { uri } }: Of): DocumentSymbol[] => symbols(this.#workspace, uri);

  readonly links = ({ textDocument: { uri } }: Of): DocumentLink[] => links(this.#workspace, uri);

  readonly lenses = ({ textDocument: { uri } }: Of): CodeLens[] => lenses(this.#workspace, uri, this.#client.commands);
}

/** The parameters of a request about a document. */
type Of = Pick<At, 'textDocument'>;

/** The folders of the workspace of an editor. */
function foldersOf({ workspaceFolders, rootUri, rootPath }: InitializeParams): readonly string[] {
  const uris = workspaceFolders?.map(({ uri }) => uri) ?? (rootUri ? [rootUri] : []);
  const folders = uris.flatMap((uri) => pathOf(uri) ?? []);
  return folders.length === 0 && rootPath ? [rootPath] : folders;
}
