import { LSPErrorCodes, ResponseError, type Connection } from 'vscode-languageserver';
import type { Session } from './lsp_session.ts';

/** Answers the requests of an editor. */
export function answerRequests(connection: Connection, session: () => Promise<Session>): void {
  connection.onCompletion(async ({ textDocument, position }) => {
    return (await session()).completion(textDocument.uri, position);
  });
  connection.onHover(async ({ textDocument, position }) => (await session()).hover(textDocument.uri, position));
  connection.onDefinition(async ({ textDocument, position }) => {
    return (await session()).definition(textDocument.uri, position);
  });
  connection.onReferences(async ({ textDocument, position, context }) => {
    return (await session()).references(textDocument.uri, position, context.includeDeclaration);
  });
  connection.onPrepareRename(async ({ textDocument, position }) => {
    return (await session()).prepareRename(textDocument.uri, position);
  });
  connection.onRenameRequest(async ({ textDocument, position, newName }) => {
    const renamed = (await session()).rename(textDocument.uri, position, newName);
    if (renamed === null || renamed.ok) return renamed?.value;
    throw new ResponseError(LSPErrorCodes.RequestFailed, renamed.problems.join('; '));
  });
  connection.onCodeAction(async ({ textDocument, range }) => (await session()).codeActions(textDocument.uri, range));
  connection.onDocumentSymbol(async ({ textDocument }) => (await session()).symbols(textDocument.uri));
  connection.onDocumentLinks(async ({ textDocument }) => (await session()).links(textDocument.uri));
  connection.onCodeLens(async ({ textDocument }) => (await session()).lenses(textDocument.uri));
}
