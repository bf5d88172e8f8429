import { Scanner } from './shell/scanner.ts';
import type { NewerBash } from './shell/reader.ts';
import type { VariableUse } from './shell/variable_uses.ts';

/**
 * Finds the variables that a command expands, each `$NAME` and `${NAME…}` outside of single quotes and comments, unless
 * the command has assigned the variable before. What shells may read differently is left out. Runs in linear time.
 */
export function findVariables(command: string): readonly VariableUse[] {
  const scanner = new Scanner(command);
  scanner.scan();
  const { found, inBackticks } = scanner.variables;
  const inside = inBackticks.flatMap(({ text, start }) => {
    // Escapes that have been removed move what follows them.
    const isExact = command.startsWith(text, start);
    return findVariables(text).map(({ name, start: inner, end }): VariableUse => {
      return isExact && end !== undefined ? { name, start: start + inner, end: start + end } : { name, start };
    });
  });
  return [...found, ...inside];
}

/** Finds what bash 3.2 lacks in a command, outside of quotes, comments and here-documents. Runs in linear time. */
export function findNewerBash(command: string): readonly NewerBash[] {
  const scanner = new Scanner(command);
  scanner.scan();
  const inside = scanner.variables.inBackticks.flatMap(({ text, start }) => {
    return findNewerBash(text).map((found): NewerBash => ({ text: found.text, start: start + found.start }));
  });
  return [...scanner.newer, ...inside];
}
