/** A flag as it is declared: a switch is there or not, a value takes the next word. */
export interface FlagSpec {
  readonly kind: 'switch' | 'value';
  readonly describe: string;
  readonly defaultValue?: string;
}

/** Where the workflow file is looked for. */
export const DEFAULT_FILE = '.cli/workflow.json';

export const FLAG_NAMES = ['file', 'dry-run', 'all', 'pretty', 'debug', 'help', 'version'] as const;
export type Flag = (typeof FLAG_NAMES)[number];

/** Every flag of the tool. */
export const FLAGS: Readonly<Record<Flag, FlagSpec>> = {
  file: {
    kind: 'value',
    describe: 'Path of the workflow file; - reads standard input',
    defaultValue: DEFAULT_FILE,
  },
  'dry-run': { kind: 'switch', describe: 'Print what would run, and run nothing' },
  all: { kind: 'switch', describe: 'Include private workflows' },
  pretty: { kind: 'switch', describe: 'Lay the JSON document out over several lines' },
  debug: { kind: 'switch', describe: 'Say on standard error what happens and why' },
  help: { kind: 'switch', describe: 'Show help' },
  version: { kind: 'switch', describe: 'Show the version number' },
};

/** The flags that every command takes. */
export const GLOBAL_FLAGS: readonly Flag[] = ['debug', 'help', 'version'];

/** A command as it is declared. */
export interface Command {
  readonly id: 'run' | 'list' | 'validate' | 'auth status';
  readonly group: string;
  readonly name: string;
  /** What follows the command's own words, for its usage line. */
  readonly operands: string;
  readonly describe: string;
  readonly flags: readonly Flag[];
  readonly example: readonly [command: string, describe: string];
}

export const GROUPS = {
  workflow: 'Run, list and check the workflows of a file',
  auth: 'Look at the credentials in the environment',
} as const;

/** Every command of the tool. */
export const COMMANDS: readonly Command[] = [
  {
    id: 'run',
    group: 'workflow',
    name: 'run',
    operands: ' <name> [KEY:VALUE ...]',
    describe: 'Run a workflow',
    flags: ['file', 'dry-run', 'pretty'],
    example: ['cli workflow run release VERSION:1.2.0', 'Run it with a variable set'],
  },
  {
    id: 'list',
    group: 'workflow',
    name: 'list',
    operands: '',
    describe: 'List the workflows of a file',
    flags: ['file', 'all', 'pretty'],
    example: ['cli workflow list --all --pretty', 'List private workflows too'],
  },
  {
    id: 'validate',
    group: 'workflow',
    name: 'validate',
    operands: '',
    describe: 'Check a file and report every error in it',
    flags: ['file', 'pretty'],
    example: ['cli workflow validate --file ci.json', 'Check another file'],
  },
  {
    id: 'auth status',
    group: 'auth',
    name: 'status',
    operands: '',
    describe: 'Tell which credentials are set, never what they are',
    flags: ['pretty'],
    example: ['cli auth status || exit 1', 'Stop a script that has no credentials'],
  },
];
