import { TextDocumentSyncKind, type InitializeParams, type InitializeResult } from 'vscode-languageserver';
import { version } from '../../../../src/api.ts';
import type { Client } from '../model/client.ts';
import { TRIGGERS } from '../features/completion.ts';
import { pathOf, type Workspace } from '../model/workspace.ts';

/** Takes the folders of the workspace from the editor. */
export function setFolders(workspace: Workspace, { workspaceFolders, rootUri, rootPath }: InitializeParams): void {
  const uris = workspaceFolders?.map(({ uri }) => uri) ?? (rootUri ? [rootUri] : []);
  const folders = uris.flatMap((uri) => pathOf(uri) ?? []);
  workspace.folders = folders.length === 0 && rootPath ? [rootPath] : folders;
}

export function initializeResult({ commands }: Client): InitializeResult {
  return {
    serverInfo: { name: 'workflow-plan', version },
    capabilities: {
      positionEncoding: 'utf-16',
      textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
      completionProvider: { triggerCharacters: [...TRIGGERS] },
      hoverProvider: true,
      definitionProvider: true,
      referencesProvider: true,
      renameProvider: { prepareProvider: true },
      codeActionProvider: { codeActionKinds: ['quickfix'] },
      documentSymbolProvider: true,
      documentLinkProvider: {},
      workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      ...(commands.length > 0 && { codeLensProvider: {} }),
    },
  };
}
