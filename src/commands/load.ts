import type { Drawing } from '../frontend/draw.ts';
import { parseWorkflowFile, type Parsed } from '../frontend/parse.ts';
import { isSecret } from '../ir/secret.ts';
import { say, type Io } from './io.ts';
import { readWorkflowBytes } from './read_file.ts';

/** A file that could be read, whatever it holds. */
export interface Loaded {
  readonly parsed: Parsed;
  readonly drawing: Drawing;
}

/** Reads and checks a workflow file. Undefined if it cannot be read: that has been said then. */
export function load(io: Io, path: string): Loaded | undefined {
  const file = readWorkflowBytes(path, io.stdin);
  const shownPath = path === '-' ? '<stdin>' : path;
  if (!file.ok) {
    say(io, [`cli: cannot read ${shownPath}: ${file.problem}`]);
    return undefined;
  }
  const parsed = parseWorkflowFile(file.bytes);
  return { parsed, drawing: { path: shownPath, lines: parsed.lines, isSecret } };
}
