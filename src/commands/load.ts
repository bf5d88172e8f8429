import { draw, type Source } from '../frontend/draw.ts';
import { parseWorkflowFile, type Parsed } from '../frontend/parse.ts';
import { isSecret } from '../ir/secret.ts';
import { say, type Io } from './io.ts';
import { readWorkflowBytes } from './read_file.ts';

/** A file that could be read, whatever it holds. */
export type Loaded = Parsed & { readonly source: Source };

/** Reads and checks a workflow file. Undefined if it cannot be read: that has been said then. */
export function load(io: Io, path: string): Loaded | undefined {
  const file = readWorkflowBytes(path, io.stdin);
  const source = { path: path === '-' ? '<stdin>' : path, isSecret };
  if (!file.ok) {
    say(io, [`cli: cannot read ${source.path}: ${file.problem}`]);
    return undefined;
  }
  const parsed = parseWorkflowFile(file.bytes);
  return { ...parsed, source: { ...source, lines: parsed.lines } };
}

/** Says all that is wrong or odd in a file, with the places. */
export function sayFindings(io: Io, { errors, warnings, source }: Loaded): void {
  say(io, draw(errors, source));
  say(io, draw(warnings, source));
}
