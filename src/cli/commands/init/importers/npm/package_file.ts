import type { Options } from '../../../../command_line/parse.ts';
import { FILE } from '../../../../../frontend/check/file_checker.ts';
import { DiagnosticList } from '../../../../../frontend/diagnostics/diagnostic.ts';
import { parseJsonFile } from '../../../../../frontend/parse.ts';
import { mentionsSecret } from '../../../../../ir/secrets.ts';
import type { Io } from '../../../../output/io.ts';
import { fileErrors } from '../../../../output/messages/message.ts';
import { printMessages } from '../../../../output/messages/print_messages.ts';
import type { Imported } from '../../imported.ts';
import { importScripts } from './package_scripts.ts';

/** Converts the scripts of a package.json. Returns undefined after printing an error. */
export async function importPackage(
  io: Io,
  options: Options,
  path: string,
  bytes: Buffer,
): Promise<Imported | undefined> {
  const { lines, syntax } = parseJsonFile(bytes);
  if (!syntax.ok) {
    const errors = new DiagnosticList();
    for (const problem of syntax.problems) errors.add({ severity: 'error', code: 'syntax', owner: FILE, ...problem });
    const source = { path, lines, included: [], isSecret: mentionsSecret, isForeign: () => false };
    return printMessages(io, options, fileErrors(source, errors));
  }
  return importScripts(path, syntax.value);
}
