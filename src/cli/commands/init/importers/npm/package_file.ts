import { FILE } from '../../../../../frontend/check/file_checker.ts';
import { DiagnosticList } from '../../../../../frontend/diagnostics/diagnostic.ts';
import { parseJsonFile } from '../../../../../frontend/parse.ts';
import { mentionsSecret } from '../../../../../ir/secret_names.ts';
import type { Result } from '../../../../../base/result.ts';
import { fileErrors, type Message } from '../../../../output/messages/message.ts';
import type { Imported } from '../../imported.ts';
import { importScripts } from './package_scripts.ts';

/** Converts the scripts of a package.json. */
export function importPackage(path: string, bytes: Buffer): Result<Imported, Message> {
  const { lines, syntax } = parseJsonFile(bytes);
  if (syntax.ok) return { ok: true, value: importScripts(path, syntax.value) };
  const errors = new DiagnosticList();
  for (const problem of syntax.problems) errors.add({ severity: 'error', code: 'syntax', owner: FILE, ...problem });
  return fileErrors({ path, lines, included: [], isSecret: mentionsSecret, isForeign: () => false }, errors);
}
