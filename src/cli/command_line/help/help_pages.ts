import { keysOf, type HasAll } from '../../../base/keys.ts';
import { COMMANDS, type Command } from '../command_table.ts';
import { groupOf, shortWords, wordsIn, type FoundCommand } from '../find_command.ts';
import { FLAGS, flagsOf, type CommandWords, type Flag } from '../flags.ts';
import { commandRow, flagRow, twoColumns, usage, wrap } from './help_layout.ts';
import { TOPICS, type Topic } from './topic_names.ts';

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

type CommandGroup = keyof typeof COMMANDS_OF;
const COMMAND_GROUPS: readonly CommandGroup[] = keysOf(COMMANDS_OF);

/** The commands that the help does not list. */
type Unlisted = 'completion words' | 'workflow process';
// A command in no group does not compile.
true satisfies HasAll<Exclude<CommandWords, Unlisted>, typeof COMMANDS_OF>;

/** The commands of a group, in the order of the table above. */
function commandsIn(group: CommandGroup): readonly Command[] {
  return COMMANDS_OF[group].flatMap((words) => COMMANDS.find((command) => command.words === words) ?? []);
}

/** The names of commands in one line. Commands with the same first word stand together: `runs list|show`. */
function namesOf(commands: readonly Command[]): string {
  const byFirst = new Map<string, string[]>();
  for (const command of commands) {
    const [first = '', ...rest] = shortWords(command).split(' ');
    byFirst.set(first, [...(byFirst.get(first) ?? []), ...(rest.length === 0 ? [] : [rest.join(' ')])]);
  }
  return [...byFirst].map(([first, rest]) => [first, rest.join('|')].join(' ').trimEnd()).join(', ');
}

/** The flags of `run` and `resume` under their headings; the first has those of other commands, too. */
const FLAG_GROUPS = {
  'Common flags': [
    ...(['file', 'dry-run', 'assume', 'plan-digest', 'watch', 'yes', 'no-wait', 'strict', 'debug'] as const),
    ...(['help', 'version', 'to', 'untagged', 'own-plans', 'jobs', 'name', 'lease', 'check'] as const),
    ...(['digest', 'keep', 'step', 'no-fallback', 'stdio', 'port', 'read-only', 'all', 'stats', 'failed'] as const),
    'portable',
  ],
  'Part of a workflow': ['since', 'from', 'until', 'only', 'force'],
  'What to resume, and how': ['last', 'changed', 'on-crash', 'done', 'rerun', 'orphans', 'take-over', 'trust'],
  'Output and reports': [
    ...(['report', 'report-lines', 'events', 'output', 'logs', 'no-logs', 'no-journal', 'web'] as const),
    ...(['format', 'pretty', 'quiet', 'no-ci', 'raw'] as const),
  ],
  'Other machines': ['on', 'tag', 'lock', 'id', 'priority', 'checkout', 'detach'],
} as const satisfies Readonly<Record<string, readonly Flag[]>>;
// A flag in no group does not compile.
true satisfies HasAll<Flag, typeof FLAG_GROUPS>;

/** The topics that explain the subject of a command. */
const SEE_ALSO: Readonly<Partial<Record<CommandWords, Topic>>> = { 'workflow secrets': 'variables' };

const EXIT_CODE_LINE = 'Exit codes: 0 success, 1 failure, 2 not started; all: cli help exit-codes';

/** The help on one screen: the main commands, the names of the others, and where to read on. */
export function overview(columns: number): string {
  const others = COMMAND_GROUPS.filter((group) => group !== 'main');
  const also: Partial<Record<CommandGroup, string>> = { 'set up': ', version' };
  const names = others.map((group) => [group, `${namesOf(commandsIn(group))}${also[group] ?? ''}`] as const);
  return [
    'cli <command>',
    '',
    'Runs workflows described in a JSON file (.cli/workflow.json).',
    '',
    'Commands:',
    ...twoColumns(commandsIn('main').map(shortRow), columns),
    '',
    'More commands, described by cli help commands:',
    ...twoColumns(names, columns),
    '',
    'Why a run failed: cli runs show --failed',
    'Flags of each command: cli help <command>',
    ...wrap(`Topics: ${Object.keys(TOPICS).join(', ')}: cli help <topic>`, columns),
    EXIT_CODE_LINE,
  ].join('\n');
}

/** A command with its first operand, and its description. */
function shortRow(command: Command): readonly [string, string] {
  const [name, about] = commandRow(command);
  return [name.replace(/ \[.*/, ''), about];
}

/** The topics of the help, below the overview. */
export function topicList(columns: number): string {
  const rows = Object.entries(TOPICS).map(([name, about]) => [`help ${name}`, about] as const);
  return ['Topics:', ...twoColumns([['help commands', 'All commands'], ...rows], columns)].join('\n');
}

/** The commands with their descriptions, in groups. With `words`, only the commands that begin with them. */
export function commandList(words: readonly string[], columns: number): string {
  if (words.length > 0) {
    const group = groupOf(words);
    const found = COMMANDS.filter((command) => group.includes(shortWords(command)) || group.includes(command.words));
    return ['Commands:', ...twoColumns(found.map(commandRow), columns)].join('\n');
  }
  const more: Partial<Record<CommandGroup, readonly (readonly [string, string])[]>> = {
    'set up': [
      ['help [COMMAND|TOPIC]', FLAGS.help.describe],
      ['version', FLAGS.version.describe],
    ],
  };
  const parts = COMMAND_GROUPS.map((group) => {
    const title = group === 'main' ? 'Commands' : `${group[0]?.toUpperCase()}${group.slice(1)}`;
    const rows = [...commandsIn(group).map(commandRow), ...(more[group] ?? [])];
    return [`${title}:`, ...twoColumns(rows, columns)].join('\n');
  });
  return [...parts, 'Flags of each command: cli help <command>'].join('\n\n');
}

/** The help on a command. */
export function commandHelp(found: FoundCommand, columns: number): string {
  const { command, form } = found;
  const [example, about] = command.example;
  return [
    `cli ${wordsIn(form, command)}${usage(command)}`,
    `${command.describe}.`,
    ...flagTables(found, columns),
    ['Example:', ...twoColumns([[example, about]], columns, 50)].join('\n'),
    ...(SEE_ALSO[command.words] === undefined ? [] : [`See also: cli help ${SEE_ALSO[command.words]}`]),
    EXIT_CODE_LINE,
  ].join('\n\n');
}

/** The flags of a command, in groups if it has many. */
function flagTables(found: FoundCommand, columns: number): string[] {
  const flags = flagsOf(found.command);
  const table = (title: string, own: readonly Flag[]): string[] => {
    const rows = flags.filter((flag) => own.includes(flag)).map((flag) => flagRow(flag, found));
    return rows.length === 0 ? [] : [[`${title}:`, ...twoColumns(rows, columns)].join('\n')];
  };
  if (!flags.includes('until')) return table('Flags', flags);
  return keysOf(FLAG_GROUPS).flatMap((title) => table(title, FLAG_GROUPS[title]));
}
