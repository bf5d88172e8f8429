import { Lexer, LineCounter, parseDocument, Parser } from 'yaml';
import { DEPTH_LIMIT } from '../../../../../frontend/syntax/json_tree.ts';
import { redactPath } from '../../../../command_line/redact.ts';
import { failure, type Result } from '../../../../../base/result.ts';
import type { Message } from '../../../../output/messages/message.ts';
import type { Imported } from '../../imported.ts';
import { importTaskfile } from './taskfile.ts';
import { tooDeep, yamlValue, type YamlProblem } from './yaml_values.ts';

/** Converts the tasks of a Taskfile. */
export function importYaml(path: string, text: string): Result<Imported, Message> {
  const lines = new LineCounter();
  const read = readYaml(text, lines);
  if (!('problem' in read)) return { ok: true, value: importTaskfile(path, read.value) };
  const { line, col } = lines.linePos(read.offset);
  const problem = `${redactPath(path)}:${line}:${col}: error: ${read.problem}`;
  return failure({ kind: 'lines', prefix: '', lines: [problem] });
}

/** The value of a text, or its first problem. `lines` gets the starts of the lines. */
function readYaml(text: string, lines: LineCounter): Readonly<{ value: unknown }> | YamlProblem {
  const deep = deepOffset(text, lines);
  if (deep !== undefined) return tooDeep(deep);
  // The parser compares each key with all others, `yamlValue` does not.
  const { contents, errors } = parseDocument(text, { prettyErrors: false, uniqueKeys: false });
  const [error] = errors;
  return error === undefined ? yamlValue(contents) : { offset: error.pos[0], problem: error.message };
}

/** Where a text is too deep for `parseDocument`, which recurses. The parser of tokens does not. */
function deepOffset(text: string, lines: LineCounter): number | undefined {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    const { offset } = parser;
    // A generator, which does nothing until it is read.
    Array.from(parser.next(lexeme));
    // The first is the document, the last may be a scalar.
    const last = parser.stack.at(-1);
    if (parser.stack.length > DEPTH_LIMIT + 1 && last !== undefined && 'items' in last) return offset;
  }
  return undefined;
}
