import type { InitializeParams } from 'vscode-languageserver';

/** What the editor can do, and which commands it executes. */
export type Client = Readonly<{ hasDocumentChanges: boolean; commands: readonly string[] }>;

export function clientOf({ capabilities, initializationOptions }: InitializeParams): Client {
  const options: unknown = initializationOptions;
  const given: unknown =
    typeof options === 'object' && options !== null && 'commands' in options ? options.commands : [];
  const listed: readonly unknown[] = Array.isArray(given) ? given : [];
  const commands = listed.flatMap((name) => (typeof name === 'string' ? [name] : []));
  return { hasDocumentChanges: capabilities.workspace?.workspaceEdit?.documentChanges === true, commands };
}
