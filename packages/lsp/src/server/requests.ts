import type { Connection } from 'vscode-languageserver';
import { completion } from '../features/completion.ts';
import { hover } from '../features/hover.ts';
import { definition, lenses, links, references, symbols } from '../features/navigation.ts';
import { prepareRename, rename } from '../features/rename.ts';
import { codeActions } from '../model/diagnostics.ts';
import type { Client } from '../model/client.ts';
import type { Workspace } from '../model/workspace.ts';

/** Answers the requests of an editor. */
export function answerRequests(connection: Connection, workspace: Workspace, client: () => Client): void {
  connection.onCompletion(({ textDocument, position }) => completion(workspace, textDocument.uri, position));
  connection.onHover(({ textDocument, position }) => hover(workspace, textDocument.uri, position));
  connection.onDefinition(({ textDocument, position }) => [...definition(workspace, textDocument.uri, position)]);
  connection.onReferences(({ textDocument, position, context }) => [
    ...references(workspace, textDocument.uri, position, context.includeDeclaration),
  ]);
  connection.onPrepareRename(({ textDocument, position }) => prepareRename(workspace, textDocument.uri, position));
  connection.onRenameRequest(({ textDocument, position, newName }) =>
    rename(workspace, textDocument.uri, position, newName, client()),
  );
  connection.onCodeAction(({ textDocument, range }) => [
    ...codeActions(workspace, textDocument.uri, range.start.line, range.end.line),
  ]);
  connection.onDocumentSymbol(({ textDocument }) => symbols(workspace, textDocument.uri));
  connection.onDocumentLinks(({ textDocument }) => links(workspace, textDocument.uri));
  connection.onCodeLens(({ textDocument }) => lenses(workspace, textDocument.uri, client().commands));
}
