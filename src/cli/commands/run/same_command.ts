import type { Options } from '../../command_line/parse.ts';
import { repeatWords } from '../../command_line/suggested_command.ts';

/** The command line of a run, to type again, without its output format and redacted by `repeatWords`. */
export function sameCommand({ form, words, args, switches, values, lists }: Options): string {
  const flags = [...values].flatMap(([flag, last]) =>
    flag === 'format' ? [] : (lists.get(flag) ?? [last]).flatMap((value) => [`--${flag}`, value]),
  );
  const own = ['run', ...words, ...flags, ...[...switches].map((flag) => `--${flag}`)];
  const all = [...(form === 'long' ? ['workflow'] : []), ...own, ...(args.length > 0 ? ['--', ...args] : [])];
  return `cli ${repeatWords(all, all)}`;
}
