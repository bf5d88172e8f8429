import {
  createConnection,
  DidChangeWorkspaceFoldersNotification,
  TextDocuments,
  type Connection,
  type WatchDog,
} from 'vscode-languageserver';
import { createProtocolConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { answerRequests } from './requests.ts';
import { initializeResult, setFolders } from './capabilities.ts';
import { Publisher, WAIT } from './publisher.ts';
import { clientOf, type Client } from '../model/client.ts';
import { pathOf, Workspace } from '../model/workspace.ts';

/** How often the process of the editor is looked for, in milliseconds. */
const WATCH = 2000;

/** The streams of a server, and what ends its process. */
export type Surroundings = Readonly<{
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  exit: (code: number) => void;
}>;

/** Starts a language server. It ends with the editor's `exit`, its process, or the end of the input. */
export function serve({ input, output, exit }: Surroundings): void {
  let isShutDown = false;
  let watch: NodeJS.Timeout | undefined;
  const end = (code = isShutDown ? 0 : 1): void => {
    clearInterval(watch);
    publisher.end();
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
  const documents = new TextDocuments(TextDocument);
  const workspace = new Workspace(() => documents.all());
  const publisher = new Publisher(workspace, (params) => void connection.sendDiagnostics(params));
  input.on('end', () => end());
  input.on('close', () => end());
  listen(connection, documents, workspace, publisher);
  documents.listen(connection);
  connection.listen();
}

function listen(
  connection: Connection,
  documents: TextDocuments<TextDocument>,
  workspace: Workspace,
  publisher: Publisher,
): void {
  let client: Client = { hasDocumentChanges: false, commands: [] };
  connection.onInitialize((params) => {
    client = clientOf(params);
    setFolders(workspace, params);
    return initializeResult(client);
  });
  connection.onShutdown(() => publisher.end());
  const update = (delay: number): void => {
    workspace.change();
    publisher.schedule(delay);
  };
  /** Documents whose first content is not a change. */
  const opened = new Set<string>();
  documents.onDidOpen(({ document }) => {
    opened.add(document.uri);
    update(0);
  });
  documents.onDidClose(() => update(0));
  documents.onDidChangeContent(({ document }) => {
    if (!opened.delete(document.uri)) update(WAIT);
  });
  connection.onDidChangeWatchedFiles(() => update(0));
  connection.onNotification(DidChangeWorkspaceFoldersNotification.type, ({ event }) => {
    const removed = new Set(event.removed.map(({ uri }) => pathOf(uri)));
    const added = event.added.flatMap(({ uri }) => pathOf(uri) ?? []);
    workspace.folders = [...workspace.folders.filter((folder) => !removed.has(folder)), ...added];
    update(0);
  });
  answerRequests(connection, workspace, () => client);
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
