import type { Result } from '../../../base/result.ts';
import type { Message } from '../../output/messages/message.ts';
import type { ImportKind } from './import_kind.ts';
import type { Imported } from './imported.ts';

/** Converts a file, or the output of `just --dump` for a justfile. The converters are loaded on demand. */
export async function importFile(kind: ImportKind, path: string, bytes: Buffer): Promise<Result<Imported, Message>> {
  switch (kind) {
    case 'package.json':
      return (await import('./importers/npm/package_file.ts')).importPackage(path, bytes);
    case 'justfile':
      return (await import('./importers/just/justfile_dump.ts')).importDump(path, bytes);
    case 'Taskfile':
      return (await import('./importers/task/taskfile_yaml.ts')).importYaml(path, bytes.toString());
    case 'Makefile': {
      const { importMakefile } = await import('./importers/make/makefile.ts');
      return { ok: true, value: importMakefile(path, bytes.toString()) };
    }
  }
}
