import { keysOf } from '../../../base/keys.ts';
import { COMMANDS, type Command } from '../command_table.ts';
import { groupOf, shortWords, wordsIn, type FoundCommand } from '../find_command.ts';
import { FLAGS, flagsOf, type CommandWords, type Flag } from '../flags.ts';
import { commandsIn, COMMAND_GROUPS, FLAG_GROUPS, flagsIn, namesOf, type CommandGroup } from './groups.ts';
import { commandRow, flagRow, twoColumns, usage, wrap } from './help_layout.ts';
import { TOPICS, type Topic } from './topic_names.ts';

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
  const table = (title: string, some: readonly Flag[]): string[] =>
    some.length === 0
      ? []
      : [
          [
            `${title}:`,
            ...twoColumns(
              some.map((flag) => flagRow(flag, found)),
              columns,
            ),
          ].join('\n'),
        ];
  if (!flags.includes('until')) return table('Flags', flags);
  return keysOf(FLAG_GROUPS).flatMap((group) => {
    const own = flagsIn(group);
    return table(
      FLAG_GROUPS[group],
      flags.filter((flag) => own.includes(flag)),
    );
  });
}
