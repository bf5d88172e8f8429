import { TextDocumentSyncKind, type InitializeParams, type InitializeResult } from 'vscode-languageserver';
import { clientOf } from '../model/client.ts';

/** The characters after which an editor asks for completions. */
const TRIGGERS = ['"', '$', '{', '.'];

export function initializeResult(params: InitializeParams, version: string): InitializeResult {
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
