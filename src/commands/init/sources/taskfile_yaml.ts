import { LineCounter, parseDocument } from 'yaml';
import { redactPath } from '../../../command_line/redact.ts';
import { say, type Io } from '../../../output/io.ts';
import type { Imported } from '../imported.ts';
import { importTaskfile } from './taskfile.ts';

/** The tasks of a Taskfile; undefined after an error, which has been printed. */
export function importYaml(io: Io, path: string, text: string): Imported | undefined {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const shown = redactPath(path);
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    return say(io, [`${shown}:${line}:${col}: error: ${error.message}`]);
  }
  // Maps keep the order of keys such as `10`.
  const root: unknown = document.toJS({ mapAsMap: true });
  return importTaskfile(path, root) ?? say(io, [`${shown} has no tasks`], 'cli: ');
}
