import { printDocument } from './document.ts';
import { EXIT, type Io, type Options } from './io.ts';
import { load, sayFindings } from './load.ts';

/** `workflow list`: the file's workflows in file order. Needs well-formed ones, not sound calls. */
export function list(io: Io, options: Options): number {
  const loaded = load(io, options.file);
  if (loaded?.file === undefined) {
    if (loaded !== undefined) sayFindings(io, loaded);
    return EXIT.cannotStart;
  }
  const entries = [...loaded.file.workflows]
    .filter(([, workflow]) => options.switches.has('all') || !workflow.private)
    .map(([name, { description, private: isPrivate, steps }]) => {
      return { name, description, private: isPrivate, step_count: steps.length };
    });
  return printDocument(io, entries, options, EXIT.ok);
}
