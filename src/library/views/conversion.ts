import { completeImport } from '../../cli/commands/init/complete_import.ts';
import { importKind, nothingConverted, unknownKind, type ImportKind } from '../../cli/commands/init/import_kind.ts';
import type { Imported } from '../../cli/commands/init/imported.ts';
import { escapeLines } from '../../cli/output/escape.ts';
import { type Message, printedMessages } from '../../cli/output/messages/message.ts';
import type { Result } from '../../base/result.ts';
import type { Conversion } from '../types.ts';

/** Converts the text of a file of another tool, without the field for editors. */
export async function convertText(text: string, name: string): Promise<Conversion> {
  const kind = importKind(name);
  if (kind === undefined) return { messages: printedMessages([unknownKind(name)]), text: null };
  const imported = await importText(kind, name, text);
  if (!imported.ok) return { messages: printedMessages(imported.problems), text: null };
  const converted = await completeImport(imported.value, undefined, true);
  const messages = escapeLines(converted.leftOut, 'cli: warning: ');
  if (converted.text !== undefined) return { messages, text: converted.text };
  const nothing = nothingConverted(name, imported.value.noun, converted.leftOut);
  return { messages: messages + escapeLines([nothing], 'cli: '), text: null };
}

/** The converters are loaded on demand. */
async function importText(kind: ImportKind, name: string, text: string): Promise<Result<Imported, Message>> {
  switch (kind) {
    case 'package.json':
      return (await import('../../cli/commands/init/importers/npm/package_file.ts')).importPackage(
        name,
        Buffer.from(text),
      );
    case 'justfile':
      return (await import('../../cli/commands/init/importers/just/justfile_dump.ts')).importDump(name, text);
    case 'Taskfile':
      return (await import('../../cli/commands/init/importers/task/taskfile_yaml.ts')).importYaml(name, text);
    case 'Makefile': {
      const { importMakefile } = await import('../../cli/commands/init/importers/make/makefile.ts');
      return { ok: true, value: importMakefile(name, text) };
    }
  }
}
