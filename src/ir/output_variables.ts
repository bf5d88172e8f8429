import type { Quotes, OutputRead } from './plan.ts';

/** A part of a text that something else stands for. */
type Span = Readonly<{ start: number; end: number }>;

/** A text with others in the places of some of its parts, which are in the order of the text. */
export function splice<Part extends Span>(
  text: string,
  parts: readonly Part[],
  textOf: (part: Part) => string,
): string {
  let after = 0;
  const pieces = parts.flatMap((part) => {
    const before = text.slice(after, part.start);
    after = part.end;
    return [before, textOf(part)];
  });
  return [...pieces, text.slice(after)].join('');
}

/** A variable as it is written in quotes, to be what stands in double quotes there. */
const WRITTEN: Readonly<Record<Quotes, (name: string) => string>> = {
  none: (name) => `"\${${name}}"`,
  double: (name) => `\${${name}}`,
  single: (name) => `'"\${${name}}"'`,
  ansi: (name) => `'"\${${name}}"$'`,
};

/** A variable that stands for an output in a command. */
export type OutputVariable = Readonly<{ name: string; read: OutputRead }>;

const keyOf = ({ from, output }: OutputRead): string => `${from} ${output}`;

/** The variables that a command gets for what it reads, one for each output. No file or parameter may set them. */
export function outputVariables(reads: readonly OutputRead[]): {
  all: readonly OutputVariable[];
  nameOf: (read: OutputRead) => string;
} {
  const found = new Map<string, OutputVariable>();
  for (const read of reads) {
    const key = keyOf(read);
    if (!found.has(key)) found.set(key, { name: `CLI_OUTPUT_${found.size + 1}`, read });
  }
  const nameOf = (read: OutputRead): string => {
    const known = found.get(keyOf(read));
    if (known === undefined) throw new Error('a read of another command');
    return known.name;
  };
  return { all: [...found.values()], nameOf };
}

/** A command with variables in the places of its references, each quoted for where it stands. */
export function rewriteReferences<Reference extends Span & Readonly<{ quotes: Quotes }>>(
  command: string,
  references: readonly Reference[],
  nameOf: (reference: Reference) => string,
): string {
  return splice(command, references, (reference) => WRITTEN[reference.quotes](nameOf(reference)));
}
