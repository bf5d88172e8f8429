import { runProgram } from '../../../../../backend/system/run_program.ts';
import { redactPath } from '../../../../command_line/redact.ts';
import { parseJsonFile } from '../../../../../frontend/parse.ts';
import { printStderr, type Io } from '../../../../output/io.ts';
import type { Imported } from '../../imported.ts';
import { importJustfile } from './justfile.ts';

/** Converts the recipes of a justfile, parsed by `just`. Returns undefined after printing an error. */
export function importWithJust(io: Io, path: string): Imported | undefined {
  const found = runProgram('just', ['--justfile', path, '--dump', '--dump-format', 'json']);
  const refused = `cannot convert ${redactPath(path)}`;
  if (!found.ok) {
    return printStderr(
      io,
      [`${refused}: just is needed to read it, and is not installed (https://just.systems)`],
      'cli: ',
    );
  }
  const { syntax } = parseJsonFile(Buffer.from(found.value.stdout));
  if (found.value.exitCode === 0 && syntax.ok) return importJustfile(path, syntax.value);
  printStderr(io, [`${refused}: just cannot read it`], 'cli: ');
  return printStderr(io, found.value.stderr.trimEnd().split('\n'));
}
