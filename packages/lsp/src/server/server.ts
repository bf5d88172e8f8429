import {
  createConnection,
  DidChangeWorkspaceFoldersNotification,
  TextDocuments,
  TextDocumentSyncKind,
  LSPErrorCodes,
  ResponseError,
} from 'vscode-languageserver';
import type { Connection, InitializeParams, WatchDog, InitializeResult } from 'vscode-languageserver';
import { createProtocolConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Session } from './lsp_session.ts';
import { clientOf } from '../model/client.ts';

/** The characters after which an editor asks for completions. */
const TRIGGERS = ['"', '$', '{', '.'];

function initializeResult(params: InitializeParams, version: string): InitializeResult {
  return {
    serverInfo: { name: 'workflow-plan', version },
    capabilities: {
      positionEncoding: 'utf-16',
      textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
      completionProvider: { triggerCharacters: TRIGGERS },
      hoverProvider: true,
      definitionProvider: true,
      referencesProvider: true,
      renameProvider: { prepareProvider: true },
      codeActionProvider: { codeActionKinds: ['quickfix'] },
      documentSymbolProvider: true,
      documentLinkProvider: {},
      workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      ...(clientOf(params).commands.length > 0 && { codeLensProvider: {} }),
    },
  };
}

/** How often the process of the editor is looked for, in milliseconds. */
const WATCH = 2000;

/** The streams of a server, the version of the tool, and what ends its process. */
export type Surroundings = Readonly<{
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  version: string;
  exit: (code: number) => void;
}>;

/** Starts a language server. It ends with the editor's `exit`, its process, or the end of the input. */
export function serve({ input, output, version, exit }: Surroundings): void {
  let isShutDown = false;
  let watch: NodeJS.Timeout | undefined;
  const end = (code = isShutDown ? 0 : 1): void => {
    clearInterval(watch);
    exit(code);
  };
  const watchDog: WatchDog = {
    initialize: ({ processId }) => {
      if (processId === null) return;
      watch = setInterval(() => {
        if (!isRunning(processId)) end();
      }, WATCH);
    },
    get shutdownReceived() {
      return isShutDown;
    },
    set shutdownReceived(value) {
      isShutDown = value;
    },
    exit: end,
  };
  const connection: Connection = createConnection(
    (logger) => createProtocolConnection(new StreamMessageReader(input), new StreamMessageWriter(output), logger),
    watchDog,
  );
  input.on('end', () => end());
  input.on('close', () => end());
  listen(connection, version);
  connection.listen();
}

function listen(connection: Connection, version: string): void {
  let params: InitializeParams = { processId: null, rootUri: null, capabilities: {}, workspaceFolders: null };
  const documents = new TextDocuments(TextDocument);
  const send = (published: Parameters<Connection['sendDiagnostics']>[0]): void => {
    void connection.sendDiagnostics(published);
  };
  let session: Promise<Session> | undefined;
  const load = async (): Promise<Session> => {
    const { Session: Loaded } = await import('./lsp_session.ts');
    return new Loaded({ params, documents: () => documents.all(), send });
  };
  /** Loaded with the first document. */
  const loaded = (): Promise<Session> => (session ??= load());
  const update = async (isSoon: boolean): Promise<void> => (await loaded()).update(isSoon);
  /** Documents whose first content is not a change. */
  const opened = new Set<string>();
  connection.onInitialize((given) => {
    params = given;
    return initializeResult(given, version);
  });
  connection.onShutdown(async () => (await session)?.end());
  documents.onDidOpen(({ document }) => {
    opened.add(document.uri);
    void update(false);
  });
  documents.onDidClose(() => void update(false));
  documents.onDidChangeContent(({ document }) => {
    if (!opened.delete(document.uri)) void update(true);
  });
  connection.onDidChangeWatchedFiles(() => void update(false));
  connection.onNotification(DidChangeWorkspaceFoldersNotification.type, async ({ event }) => {
    (await loaded()).changeFolders(event);
  });
  answerRequests(connection, loaded);
  documents.listen(connection);
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // A process of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Answers the requests of an editor. */
function answerRequests(connection: Connection, session: () => Promise<Session>): void {
  connection.onCompletion(async (asked) => (await session()).completion(asked));
  connection.onHover(async (asked) => (await session()).hover(asked));
  connection.onDefinition(async (asked) => (await session()).definition(asked));
  connection.onReferences(async (asked) => (await session()).references(asked));
  connection.onPrepareRename(async (asked) => (await session()).prepareRename(asked));
  connection.onRenameRequest(async (asked) => {
    const renamed = (await session()).rename(asked);
    if (renamed === null || renamed.ok) return renamed?.value;
    throw new ResponseError(LSPErrorCodes.RequestFailed, renamed.problems.join('; '));
  });
  connection.onCodeAction(async (asked) => (await session()).codeActions(asked));
  connection.onDocumentSymbol(async (asked) => (await session()).symbols(asked));
  connection.onDocumentLinks(async (asked) => (await session()).links(asked));
  connection.onCodeLens(async (asked) => (await session()).lenses(asked));
}
