import { runProgram } from '../../../../../backend/system/run_program.ts';
import { redactPath } from '../../../../command_line/redact.ts';
import { parseJsonFile } from '../../../../../frontend/syntax/json_problems.ts';
import { syntaxMessage } from '../../../../../frontend/diagnostics/wording/syntax_message.ts';
import { failure, type Result } from '../../../../../base/result.ts';
import type { Message } from '../../../../output/messages/message.ts';
import type { Imported } from '../../imported.ts';
import { importJustfile } from './justfile.ts';

/** Converts the recipes of a justfile, parsed by `just`. */
export function importWithJust(path: string, bytes: Buffer): Result<Imported, Message> {
  const found = runProgram('just', ['--justfile', path, '--dump', '--dump-format', 'json']);
  const refused = `cannot convert ${redactPath(path)}`;
  if (!found.ok) {
    return failure(`${refused}: just is needed to read it, and is not installed (https://just.systems)`);
  }
  const { exitCode, stdout, stderr } = found.value;
  if (exitCode !== 0) {
    const reason = exitCode === undefined ? crashOf(bytes.toString()) : 'just cannot read it';
    const lines = stderr === '' ? [] : stderr.trimEnd().split('\n');
    return failure<Message>(`${refused}: ${reason}`, { kind: 'lines', prefix: '', lines });
  }
  return importDump(path, stdout);
}

/** Converts what `just --dump --dump-format json` prints. */
export function importDump(path: string, dump: string): Result<Imported, Message> {
  const { syntax } = parseJsonFile(Buffer.from(dump));
  if (syntax.ok) return { ok: true, value: importJustfile(path, syntax.value) };
  const reasons = syntax.problems.map(({ problem, range }) => {
    return `cannot convert ${redactPath(path)}: ${partAt(dump, range.start)}: ${syntaxMessage(problem, false)}`;
  });
  return failure(...reasons);
}

/** The reason if a signal ends just, which overflows its stack in long expressions. */
function crashOf(text: string): string {
  const lengths = text.split('\n').map((line) => line.length);
  const longest = lengths.indexOf(lengths.reduce((most, length) => Math.max(most, length), 0)) + 1;
  return `just crashed, as it does if an expression is too long; line ${longest} is the longest`;
}

/** The recipe or variable to which an offset in the output of just belongs. */
function partAt(dump: string, offset: number): string {
  let depth = 0;
  let [section, name] = ['', ''];
  for (const [token] of dump.slice(0, offset).matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1) section = token;
    else if (depth === 2) name = token.slice(1, -1);
  }
  return `${section === '"assignments"' ? 'variable' : 'recipe'} '${name}'`;
}
