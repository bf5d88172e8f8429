import { terminalColumns } from './terminal_width.ts';
import { widthOf, wrapIndented } from './text_width.ts';

/** No terminal breaks a shorter text. */
const SHORT = 40;

/** A line of the tool that ends with one of its commands, which a user may copy. */
const COMMAND = /^(cli: .*?:) (cli .*)$/;

/** The lines of a text, broken at words if the descriptor is a terminal that is narrower. Commands are not broken. */
export function wrapForTerminal(descriptor: number, text: string): string {
  if (text.length <= SHORT || !text.startsWith('cli: ')) return text;
  const columns = terminalColumns(descriptor);
  if (columns === undefined || columns === Infinity) return text;
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, columns))
    .join('\n');
}

function wrapLine(line: string, columns: number): readonly string[] {
  if (widthOf(line) <= columns) return [line];
  const [, before = line, command] = COMMAND.exec(line) ?? [];
  return wrapIndented([before], columns).concat(command === undefined ? [] : `    ${command}`);
}
