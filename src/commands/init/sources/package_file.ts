import type { Options } from '../../../command_line/parse.ts';
import { redactPath } from '../../../command_line/redact.ts';
import { printDiagnostics } from '../../../driver/load.ts';
import { FILE } from '../../../frontend/check/file_checker.ts';
import { DiagnosticList } from '../../../frontend/diagnostics/diagnostic.ts';
import { parseJsonFile } from '../../../frontend/parse.ts';
import { mentionsSecret } from '../../../ir/secrets.ts';
import { printStderr, type Io } from '../../../output/io.ts';
import type { Imported } from '../imported.ts';
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
    errors.add({ severity: 'error', code: 'syntax', problem: syntax.problem, owner: FILE, range: syntax.range });
    const source = { path, lines, hidden: [], included: [], isSecret: mentionsSecret };
    return printDiagnostics(io, options, { errors, warnings: new DiagnosticList(), source });
  }
  return importScripts(path, syntax.root) ?? printStderr(io, [`${redactPath(path)} has no scripts`], 'cli: ');
}
