import type { Options } from '../../command_line/parse_command_line.ts';
import { printStderr, type Io } from '../io.ts';
import type { Message, Reported } from './message.ts';

/** The flags about what is printed. */
export type Switches = Pick<Options, 'quiet' | 'noCi'>;

/** Prints the messages and problems of a result. Returns its value, or undefined if it failed. */
export async function printMessages<Value>(
  io: Io,
  options: Switches,
  given: Promise<Reported<Value>> | Reported<Value>,
): Promise<Value | undefined> {
  const result = await given;
  const messages = options.quiet ? [] : (result.messages ?? []);
  for (const message of messages) await printMessage(io, options, message);
  if (result.ok) return result.value;
  for (const problem of result.problems) await printMessage(io, options, problem);
  return undefined;
}

/** Prints a message to standard error. The code that renders is loaded on demand. */
export async function printMessage(io: Io, options: Switches, message: Message): Promise<void> {
  if (typeof message === 'string') printStderr(io, [message], 'cli: ');
  else if (message.kind === 'lines') printStderr(io, message.lines, message.prefix);
  else await (await import('./print_rendered.ts')).printRendered(io, options, message);
}
