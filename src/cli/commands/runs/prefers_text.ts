import type { Options } from '../../command_line/parse_command_line.ts';
import type { Io } from '../../output/io.ts';
import { isTerminal } from '../../output/terminal.ts';

/** Whether a run is shown as text: by default in the short form at a terminal. */
export function prefersText({ stdout }: Pick<Io, 'stdout'>, { form, pretty, format }: Options): boolean {
  const isForPeople = form === 'short' && !pretty && isTerminal(stdout);
  return (format ?? (isForPeople ? 'text' : 'json')) === 'text';
}
