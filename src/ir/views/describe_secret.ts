import { shellWord } from '../../base/shell_word.ts';
import type { PlanSecret, SecretProgram } from '../plan.ts';
import { MASK, type Secrecy } from '../secret_names.ts';
import { formatDuration } from './format_duration.ts';
import { formatOutputSource } from './format_json_path.ts';

/** The program of a secret and its arguments. An argument is masked if it contains the value of a secret variable. */
function shownCommand({ command, lookups = [] }: SecretProgram, isSecret: Secrecy): readonly string[] {
  return command.map((text, index) => {
    // A plan that is not linked contains the reference itself.
    const hasValue = lookups.some(({ name, argument, start }) => {
      return argument === index && isSecret(name) && !text.startsWith('${vars.', start);
    });
    return hasValue ? MASK : text;
  });
}

/** The program of a secret as a command line. References to variables are shown as they are written. */
export function programLine(source: SecretProgram, isSecret: Secrecy): string {
  const words = shownCommand(source, isSecret).map((text) => (PLAIN.test(text) ? text : shellWord(text)));
  return words.join(' ');
}

const PLAIN = /^(?:[\w@%+=:,./-]|\$\{vars\.[\w:-]+\})+$/;

/** A secret as text: its name and its source, with the program as JSON, the part of its output, and its time limit. */
export function describeSecret({ name, source }: PlanSecret, isSecret: Secrecy): string {
  if (source === null) return name;
  const { value, timeout } = source;
  const part = value === 'text' ? '' : ` at ${formatOutputSource(value)}`;
  return `${name} from ${JSON.stringify(shownCommand(source, isSecret))}${part}, at most ${formatDuration(timeout)}`;
}
