import type { Quotes } from '../frontend/references/shell/found_reference.ts';
import type { OutputRead } from './plan.ts';

/** A part of a text that is replaced. */
type Span = Readonly<{ start: number; end: number }>;

/** Replaces parts of a text. The parts must be in order. */
export function splice<Part extends Span>(
  text: string,
  parts: readonly Part[],
  textOf: (part: Part, index: number) => string,
): string {
  let after = 0;
  const pieces = parts.flatMap((part, index) => {
    const before = text.slice(after, part.start);
    after = part.end;
    return [before, textOf(part, index)];
  });
  return [...pieces, text.slice(after)].join('');
}

/** An expansion of a variable that the shell reads as double-quoted, for each kind of quotes around it. */
const EXPANSION: Readonly<Record<Quotes, (name: string) => string>> = {
  none: (name) => `"\${${name}}"`,
  double: (name) => `\${${name}}`,
  single: (name) => `'"\${${name}}"'`,
  ansi: (name) => `'"\${${name}}"$'`,
};

/** A variable that contains an output for a command. */
export type OutputVariable = Readonly<{ name: string; read: OutputRead }>;

const keyOf = ({ from, step, output, fallback }: OutputRead): string =>
  `${from ?? step} ${output}${fallback === null ? '' : `:-${fallback}`}`;

/** The variables for the outputs that a command refers to, one for each output and fallback. Files and parameters cannot set these names. */
export function outputVariables(reads: readonly OutputRead[]): {
  all: readonly OutputVariable[];
  nameOf: (read: OutputRead) => string;
} {
  const variables = new Map<string, OutputVariable>();
  for (const read of reads) {
    const key = keyOf(read);
    if (!variables.has(key)) variables.set(key, { name: `CLI_OUTPUT_${variables.size + 1}`, read });
  }
  const nameOf = (read: OutputRead): string => {
    const variable = variables.get(keyOf(read));
    if (variable === undefined) throw new Error('a reference of another command');
    return variable.name;
  };
  return { all: [...variables.values()], nameOf };
}

/** Replaces the references of a command by variables, each quoted for its position. */
export function rewriteReferences<Reference extends Span & Readonly<{ quotes: Quotes }>>(
  command: string,
  references: readonly Reference[],
  nameOf: (reference: Reference) => string,
): string {
  return splice(command, references, (reference) => EXPANSION[reference.quotes](nameOf(reference)));
}
