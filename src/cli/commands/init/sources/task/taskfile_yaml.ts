import { LineCounter, parseDocument, type Document } from 'yaml';
import { redactPath } from '../../../../command_line/redact.ts';
import { printStderr, type Io } from '../../../../output/io.ts';
import type { Imported } from '../../imported.ts';
import { importTaskfile } from './taskfile.ts';

/** Converts the tasks of a Taskfile. Returns undefined after printing an error. */
export function importYaml(io: Io, path: string, text: string): Imported | undefined {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const shown = redactPath(path);
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    return printStderr(io, [`${shown}:${line}:${col}: error: ${error.message}`]);
  }
  const root = valueOf(document);
  if (root === undefined)
    return printStderr(io, [`cannot convert ${shown}: its aliases expand to too many values`], 'cli: ');
  return importTaskfile(path, root);
}

/** The value of a document. Maps keep the order of keys such as `10`. Undefined if the parser rejects it. */
function valueOf(document: Document): unknown {
  try {
    return document.toJS({ mapAsMap: true });
  } catch (error) {
    // Thrown for aliases that expand to too many nodes.
    if (!(error instanceof ReferenceError)) throw error;
    return undefined;
  }
}
