import type { InitializeParams } from 'vscode-languageserver';

/** The capabilities of the editor, the commands that it executes, and whether `validate --portable` warns. */
export type Client = Readonly<{ hasDocumentChanges: boolean; commands: readonly string[]; isPortable: boolean }>;

export function clientOf({ capabilities, initializationOptions }: InitializeParams): Client {
  const given: unknown = initializationOptions;
  const options: Readonly<Record<string, unknown>> = typeof given === 'object' && given !== null ? { ...given } : {};
  const listed: readonly unknown[] = Array.isArray(options['commands']) ? options['commands'] : [];
  const commands = listed.flatMap((name) => (typeof name === 'string' ? [name] : []));
  const hasDocumentChanges = capabilities.workspace?.workspaceEdit?.documentChanges === true;
  return { hasDocumentChanges, commands, isPortable: options['portable'] === true };
}
