import { flagWords } from '../../driver/flag_words.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { repeatWords } from '../../command_line/suggested_command.ts';

/** The command line of a run, to type again, without its output format and redacted by `repeatWords`. */
export function sameCommand(options: Options): string {
  const { form, words, args } = options;
  const own = ['run', ...words, ...flagWords(options, 'format').flat()];
  const all = [...(form === 'long' ? ['workflow'] : []), ...own, ...(args.length > 0 ? ['--', ...args] : [])];
  return `cli ${repeatWords(all, all)}`;
}
