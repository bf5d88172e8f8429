import { keysOf, type HasAll } from '../../../base/keys.ts';
import { COMMANDS, type Command } from '../command_table.ts';
import { shortWords } from '../find_command.ts';
import type { CommandWords, Flag } from '../flags.ts';

/** The commands in groups, as the help lists them. `main` commands are described in the first help. */
const COMMANDS_OF = {
  main: ['workflow run', 'workflow list', 'workflow validate', 'workflow resume', 'workflow init'],
  look: ['workflow explain', 'workflow graph', 'workflow secrets', 'workflow schema', 'lsp'],
  runs: [
    ...(['workflow runs list', 'workflow runs show', 'workflow runs logs', 'workflow runs wait'] as const),
    ...(['workflow runs cancel', 'workflow runs resume', 'workflow runs prune', 'ui', 'mcp'] as const),
  ],
  plans: ['workflow plan', 'workflow diff', 'workflow status', 'workflow export'],
  machines: ['worker'],
  'set up': ['auth status', 'completion bash', 'completion zsh', 'completion fish'],
} as const satisfies Readonly<Record<string, readonly CommandWords[]>>;

export type CommandGroup = keyof typeof COMMANDS_OF;
export const COMMAND_GROUPS: readonly CommandGroup[] = keysOf(COMMANDS_OF);

/** The commands that the help does not list. */
type Unlisted = 'completion words' | 'workflow process';
// A command in no group does not compile.
true satisfies HasAll<Exclude<CommandWords, Unlisted>, typeof COMMANDS_OF>;

/** The commands of a group, in the order of the table above. */
export function commandsIn(group: CommandGroup): readonly Command[] {
  return COMMANDS_OF[group].flatMap((words) => COMMANDS.find((command) => command.words === words) ?? []);
}

/** The names of commands in one line. Commands with the same first word stand together: `runs list|show`. */
export function namesOf(commands: readonly Command[]): string {
  const byFirst = new Map<string, string[]>();
  for (const command of commands) {
    const [first = '', ...rest] = shortWords(command).split(' ');
    byFirst.set(first, [...(byFirst.get(first) ?? []), ...(rest.length === 0 ? [] : [rest.join(' ')])]);
  }
  return [...byFirst].map(([first, rest]) => [first, rest.join('|')].join(' ').trimEnd()).join(', ');
}

/** The headings of flags in the help of `run` and `resume`. */
export const FLAG_GROUPS = {
  common: 'Common flags',
  part: 'Part of a workflow',
  resume: 'What to resume, and how',
  output: 'Output and reports',
  machines: 'Other machines',
} as const;
type FlagGroup = keyof typeof FLAG_GROUPS;

/** The flags of `run` and `resume` in groups; `common` has those of other commands, too. */
const FLAGS_OF = {
  common: [
    ...(['file', 'dry-run', 'assume', 'plan-digest', 'watch', 'yes', 'no-wait', 'strict', 'debug'] as const),
    ...(['help', 'version', 'to', 'untagged', 'own-plans', 'jobs', 'name', 'lease', 'check'] as const),
    ...(['digest', 'keep', 'step', 'no-fallback', 'stdio', 'port', 'read-only', 'all', 'stats', 'failed'] as const),
    'portable',
  ],
  part: ['since', 'from', 'until', 'only', 'force'],
  resume: ['last', 'changed', 'on-crash', 'done', 'rerun', 'orphans', 'take-over', 'trust'],
  output: [
    ...(['report', 'report-lines', 'events', 'output', 'logs', 'no-logs', 'no-journal', 'web'] as const),
    ...(['format', 'pretty', 'quiet', 'no-ci', 'raw'] as const),
  ],
  machines: ['on', 'tag', 'lock', 'id', 'priority', 'checkout', 'detach'],
} as const satisfies Readonly<Record<FlagGroup, readonly Flag[]>>;
// A flag in no group does not compile.
true satisfies HasAll<Flag, typeof FLAGS_OF>;

export function flagsIn(group: FlagGroup): readonly Flag[] {
  return FLAGS_OF[group];
}
