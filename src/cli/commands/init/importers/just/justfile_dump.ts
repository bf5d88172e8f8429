import { redactPath } from '../../../../command_line/redact.ts';
import { parseJsonFile } from '../../../../../frontend/syntax/json_problems.ts';
import { syntaxMessage } from '../../../../../frontend/diagnostics/wording/syntax_message.ts';
import { failure, type Result } from '../../../../../base/result.ts';
import type { Message } from '../../../../output/messages/message.ts';
import type { Imported } from '../../imported.ts';
import { importJustfile } from './justfile.ts';

/** Converts what `just --dump --dump-format json` prints. */
export function importDump(path: string, bytes: Buffer): Result<Imported, Message> {
  const { syntax } = parseJsonFile(bytes);
  if (syntax.ok) return { ok: true, value: importJustfile(path, syntax.value) };
  const reasons = syntax.problems.map(({ problem, range }) => {
    return `cannot convert ${redactPath(path)}: ${partAt(bytes.toString(), range.start)}: ${syntaxMessage(problem, false)}`;
  });
  return failure(...reasons);
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
