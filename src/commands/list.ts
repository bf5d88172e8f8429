import { drawErrors } from '../frontend/draw.ts';
import { printDocument, type Layout } from './document.ts';
import { EXIT, say, type Io } from './io.ts';
import { load } from './load.ts';

export interface ListOptions extends Layout {
  readonly file: string;
  /** Whether private workflows are listed too. */
  readonly all: boolean;
}

/** `workflow list`: the file's workflows in file order. Needs well-formed ones, not sound calls. */
export function list(io: Io, options: ListOptions): number {
  const loaded = load(io, options.file);
  if (loaded === undefined) return EXIT.cannotStart;
  const { parsed, drawing } = loaded;
  if (parsed.kind === 'malformed') {
    say(io, drawErrors(parsed.errors, drawing));
    return EXIT.cannotStart;
  }
  const entries = [...parsed.file.workflows]
    .filter(([, workflow]) => options.all || !workflow.private)
    .map(([name, workflow]) => ({
      name,
      description: workflow.description,
      private: workflow.private,
      step_count: workflow.steps.length,
    }));
  return printDocument(io, entries, options, EXIT.ok);
}
