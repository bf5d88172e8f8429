import type { Options } from '../../command_line/parse.ts';

/** The command line of one run of a watched workflow. */
export function runArguments({ form, words, args, switches, values, lists }: Options): readonly string[] {
  const flags = [...values].flatMap(([flag, value]) => {
    const all = flag === 'watch' ? [] : (lists.get(flag) ?? [value]);
    return all.map((each) => `--${flag}=${each}`);
  });
  const bare = [...switches].map((flag) => `--${flag}`);
  // After the first `--`, no word is a flag. A second `--` begins the arguments of commands.
  const rest = args.length === 0 ? words : [...words, '--', ...args];
  return [...(form === 'long' ? ['workflow'] : []), 'run', ...bare, ...flags, '--', ...rest];
}
