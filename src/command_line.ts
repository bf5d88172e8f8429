import yargs, { type Argv } from 'yargs';
import { echo } from './commands/echo.ts';
import { COMMANDS, DEFAULT_FILE, FLAG_NAMES, FLAGS, GLOBAL_FLAGS } from './commands/table.ts';
import { GROUPS, type Command, type Flag } from './commands/table.ts';
import { nearest } from './frontend/nearest.ts';

/** What a command line asks for. */
export type Request =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'command'; readonly line: CommandLine }
  | { readonly kind: 'usage error'; readonly problems: readonly string[] };

/** A command line that was understood. */
export interface CommandLine {
  readonly command: Command['id'];
  /** The words after the command's own, as they were given. */
  readonly words: readonly string[];
  readonly file: string;
  readonly switches: ReadonlySet<Flag>;
}

const EPILOGUE = `The workflow file is .cli/workflow.json in the current directory, or what --file names.
Standard output gets one JSON document or nothing; all else goes to standard error.

Exit codes:
  0   done: the run succeeded, the file is valid, the credentials are there
  1   the answer is no: the run failed, the file is invalid, credentials are missing
  2   could not start; nothing has run
  70  a bug in the tool
  74  the result could not be written
An interrupted run ends by the signal that interrupted it.`;

/** Reads a command line. Nothing in it is converted: values stay the text they were given as. */
export function readCommandLine(argv: readonly string[]): Request {
  const given = spellOutSwitches(argv);
  if (!given.ok) return usageError([given.problem]);

  let command: Command | undefined;
  let problem: string | undefined;
  let help = '';
  const parser = declare((chosen) => (command = chosen)).fail((text) => (problem = text));
  const parsed = parser.parse(given.argv, {}, (_error, _argv, output) => {
    help = output;
  });
  if (parsed instanceof Promise) throw new Error('nothing that yargs was given is asynchronous');
  if (problem !== undefined) return usageError([`flag '--file' needs a value`]);
  if (help !== '') return { kind: 'help', text: `${help}\n` };

  const { _: positional, $0: _name, ...flags } = parsed;
  if (flags['version'] === true) return { kind: 'version' };
  const words = positional.map(String);
  if (command === undefined) return usageError([unknownCommand(words)]);
  const { group, name, operands } = command;
  const rest = words.slice(2);
  const problems = [
    ...unknownFlags(Object.keys(flags), command),
    ...(operands === '' ? rest.map((word) => `unexpected argument ${echo(word)}`) : []),
    ...(operands !== '' && rest.length === 0 ? ['the name of the workflow is missing'] : []),
    ...(flags['file'] === '' ? [`flag '--file' needs a value`] : []),
  ];
  if (problems.length > 0) return usageError(problems, `cli ${group} ${name}`);
  const switches = FLAG_NAMES.filter((flag) => flags[flag] === true);
  const file = typeof flags['file'] === 'string' ? flags['file'] : DEFAULT_FILE;
  const line = { command: command.id, words: rest, file, switches: new Set(switches) };
  return { kind: 'command', line };
}

/** Declares all commands and flags; `choose` is called with the command that was given. */
function declare(choose: (command: Command) => void): Argv {
  const parser = yargs()
    .scriptName('cli')
    .usage('cli <command>\n\nRuns multi-step automations described in a JSON file.')
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'duplicate-arguments-array': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .locale('en')
    .detectLocale(false)
    .exitProcess(false)
    .version(false)
    .wrap(88)
    .help('help')
    .alias('help', 'h')
    .epilogue(EPILOGUE);
  for (const flag of GLOBAL_FLAGS) if (flag !== 'help') addFlag(parser, flag);
  for (const [group, describe] of Object.entries(GROUPS)) {
    const commands = COMMANDS.filter((command) => command.group === group);
    parser.command(
      group,
      describe,
      (inner) => {
        inner.usage(`cli ${group} <command>\n\n${describe}.`);
        for (const command of commands) addCommand(inner, command, choose);
        return inner;
      },
      () => undefined,
    );
    for (const { example } of commands) parser.example(...example);
  }
  return parser;
}

function addCommand(parser: Argv, command: Command, choose: (command: Command) => void): void {
  const { group, name, operands, describe, flags, example } = command;
  parser.command(
    name,
    describe,
    (inner) => {
      inner.usage(`cli ${group} ${name}${operands}\n\n${describe}.`).example(...example);
      for (const flag of flags) addFlag(inner, flag);
      return inner;
    },
    () => choose(command),
  );
}

function addFlag(parser: Argv, flag: Flag): void {
  const { kind, describe, defaultValue } = FLAGS[flag];
  parser.option(
    flag,
    kind === 'switch'
      ? { describe, type: 'boolean' }
      : { describe, type: 'string', nargs: 1, defaultDescription: defaultValue ?? '' },
  );
}

type Spelled =
  { readonly ok: true; readonly argv: string[] } | { readonly ok: false; readonly problem: string };

/**
 * Gives every switch its value: yargs takes the word `true` or `false` after a switch for its value
 * (it may be a workflow's name), and `--dry-run=1` for a no.
 */
function spellOutSwitches(argv: readonly string[]): Spelled {
  const end = argv.indexOf('--') === -1 ? argv.length : argv.indexOf('--');
  const spelled: string[] = [];
  for (const [index, word] of argv.entries()) {
    const [flag = '', ...value] = word.split('=');
    const name = FLAG_NAMES.find((known) => `--${known}` === flag);
    if (index >= end || name === undefined || FLAGS[name].kind === 'value') spelled.push(word);
    else if (value.length > 0) return { ok: false, problem: `flag '${flag}' takes no value` };
    else spelled.push(`${word}=true`);
  }
  return { ok: true, argv: spelled };
}

function unknownFlags(given: readonly string[], { flags }: Command): string[] {
  const known = [...flags, ...GLOBAL_FLAGS];
  return given
    .filter((name) => name !== 'h' && !known.some((flag) => flag === name))
    .map((name) => {
      const suggestion = nearest(name, known);
      const hint = suggestion === undefined ? '' : `; did you mean '--${suggestion}'?`;
      return `unknown flag ${echo(name.length === 1 ? `-${name}` : `--${name}`)}${hint}`;
    });
}

function unknownCommand([group, name]: readonly string[]): string {
  if (group === undefined) return 'the command is missing';
  const inGroup: string[] = COMMANDS.filter((each) => each.group === group).map(({ name }) => name);
  if (inGroup.length > 0 && name === undefined) {
    return `the command after 'cli ${group}' is missing: ${inGroup.join(', ')}`;
  }
  const [word, known] = inGroup.length > 0 ? [name ?? '', inGroup] : [group, Object.keys(GROUPS)];
  const suggestion = nearest(word, known);
  return `unknown command ${echo(word)}; ${suggestion === undefined ? `expected one of: ${known.join(', ')}` : `did you mean '${suggestion}'?`}`;
}

function usageError(problems: readonly string[], command = 'cli'): Request {
  return { kind: 'usage error', problems: [...problems, `see '${command} --help'`] };
}
