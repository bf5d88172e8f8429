import { completeImport } from '../../cli/commands/init/complete_import.ts';
import { importFile } from '../../cli/commands/init/import_file.ts';
import { importKind, nothingConverted, unknownKind } from '../../cli/commands/init/import_kind.ts';
import { escapeLines } from '../../cli/output/escape.ts';
import { printedMessages } from '../../cli/output/messages/message.ts';
import type { Conversion } from '../types.ts';

/** Converts the text of a file of another tool, without the field for editors. */
export async function convertText(text: string, name: string): Promise<Conversion> {
  const kind = importKind(name);
  if (kind === undefined) return { messages: printedMessages([unknownKind(name)]), text: null };
  const imported = await importFile(kind, name, Buffer.from(text));
  if (!imported.ok) return { messages: printedMessages(imported.problems), text: null };
  const converted = await completeImport(imported.value, undefined, true);
  const messages = escapeLines(converted.leftOut, 'cli: warning: ');
  if (converted.text !== undefined) return { messages, text: converted.text };
  const nothing = nothingConverted(name, imported.value.noun, converted.leftOut);
  return { messages: messages + escapeLines([nothing], 'cli: '), text: null };
}
