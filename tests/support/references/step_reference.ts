import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findReferences } from '../../../src/frontend/references/step_references.ts';
import { rewriteReferences } from '../../../src/ir/output_variables.ts';
import { FIXTURES } from '../goldens/goldens.ts';

/** A case in fixtures/step_references: the position of a reference, a command that contains it, and the results. */
export interface Position {
  readonly where: string;
  readonly tags: readonly string[];
  readonly command: string;
  /** The sections, by title. */
  readonly sections: ReadonlyMap<string, string>;
}

/** The cases of `NAME.txt`: each begins with `=== where [tag]`, and each of its sections with `--- title`. */
export function positions(name: string): Position[] {
  const [, ...cases] = readFileSync(join(FIXTURES, 'step_references', `${name}.txt`), 'utf8').split(/^=== /m);
  return cases.map((text) => {
    const [head = '', ...sections] = text.trimEnd().split(/^--- /m);
    const [where, command] = cut(head);
    const tags = Array.from(where.matchAll(/ \[(\w+)\]/g), ([, tag = '']) => tag);
    return { where, tags, command: withReferences(command), sections: new Map(sections.map(cut)) };
  });
}

/** The first line, and the rest. */
function cut(text: string): [string, string] {
  const end = text.indexOf('\n');
  return [text.slice(0, end), text.slice(end + 1).replace(/\n$/, '')];
}

/** A text with a reference instead of each `§`. */
export function withReferences(text: string): string {
  return text.replaceAll('§', '${steps.a.V}');
}

/** The rewritten command, and its rejected references as `problem: text`. */
export function rewrite(
  command: string,
  nameOf: () => string = () => 'V',
): { readonly rewritten: string; readonly rejected: readonly string[] } {
  const { references, problems } = findReferences(command);
  return {
    rewritten: rewriteReferences(command, references, nameOf),
    rejected: problems.map(({ start, end, problem }) => `${problem}: ${command.slice(start, end)}`),
  };
}
