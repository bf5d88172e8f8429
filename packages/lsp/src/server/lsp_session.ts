import type {
  CodeAction,
  CodeLens,
  CompletionList,
  DocumentLink,
  DocumentSymbol,
  Hover,
  InitializeParams,
  Location,
  Position,
  PublishDiagnosticsParams,
  Range,
  WorkspaceFoldersChangeEvent,
} from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { completion } from '../features/completion.ts';
import { hover } from '../features/hover.ts';
import { definition, lenses, links, references, symbols } from '../features/navigation.ts';
import { prepareRename, rename, type Renamed } from '../features/rename.ts';
import { clientOf, type Client } from '../model/client.ts';
import { codeActions } from '../model/diagnostics.ts';
import { pathOf, Workspace } from '../model/workspace.ts';
import { Publisher, WAIT } from './publisher.ts';

/** The requirements of a session. `params` come from the editor. */
type SessionParts = Readonly<{
  params: InitializeParams;
  documents: () => readonly TextDocument[];
  send: (params: PublishDiagnosticsParams) => void;
}>;

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

  completion(uri: string, position: Position): CompletionList {
    return completion(this.#workspace, uri, position);
  }

  hover(uri: string, position: Position): Hover | null {
    return hover(this.#workspace, uri, position);
  }

  definition(uri: string, position: Position): Location[] {
    return [...definition(this.#workspace, uri, position)];
  }

  references(uri: string, position: Position, withDefinitions: boolean): Location[] {
    return [...references(this.#workspace, uri, position, withDefinitions)];
  }

  prepareRename(uri: string, position: Position): Readonly<{ range: Range; placeholder: string }> | null {
    return prepareRename(this.#workspace, uri, position);
  }

  rename(uri: string, position: Position, name: string): Renamed {
    return rename(this.#workspace, uri, position, name, this.#client);
  }

  codeActions(uri: string, { start, end }: Range): CodeAction[] {
    return [...codeActions(this.#workspace, uri, start.line, end.line)];
  }

  symbols(uri: string): DocumentSymbol[] {
    return symbols(this.#workspace, uri);
  }

  links(uri: string): DocumentLink[] {
    return links(this.#workspace, uri);
  }

  lenses(uri: string): CodeLens[] {
    return lenses(this.#workspace, uri, this.#client.commands);
  }
}

/** The folders of the workspace of an editor. */
function foldersOf({ workspaceFolders, rootUri, rootPath }: InitializeParams): readonly string[] {
  const uris = workspaceFolders?.map(({ uri }) => uri) ?? (rootUri ? [rootUri] : []);
  const folders = uris.flatMap((uri) => pathOf(uri) ?? []);
  return folders.length === 0 && rootPath ? [rootPath] : folders;
}
