/** All flags. A flag that takes a value or a path takes the next word, or the text after `=`. */
export const FLAGS = {
  file: { takes: 'path', describe: 'Path to the workflow file; - reads standard input' },
  'dry-run': { takes: 'nothing', describe: 'Show what would run without running it' },
  report: { takes: 'path', describe: 'Write a report: JSON, JUnit (*.xml) or HTML (*.html)' },
  from: { takes: 'path', describe: 'Convert a package.json, justfile, Taskfile.yml or Makefile' },
  step: { takes: 'value', describe: 'Show only the step with this name or number' },
  format: { takes: 'value', describe: 'Output format' },
  all: { takes: 'nothing', describe: 'Include private workflows' },
  pretty: { takes: 'nothing', describe: 'Indent JSON output' },
  'report-lines': { takes: 'value', describe: 'Lines of output per step in the report (default: 50)' },
  strict: { takes: 'nothing', describe: 'Treat warnings as errors' },
  quiet: { takes: 'nothing', describe: 'Print only errors and the output of steps' },
  'no-ci': { takes: 'nothing', describe: 'Turn off the output for GitHub Actions and GitLab CI' },
  debug: { takes: 'nothing', describe: 'Print debugging information to standard error' },
  help: { takes: 'nothing', describe: 'Print help' },
  version: { takes: 'nothing', describe: 'Print the version' },
} as const;

export type Flag = keyof typeof FLAGS;

/** The one-letter forms of flags. */
export const LETTERS = { f: 'file', n: 'dry-run', q: 'quiet', h: 'help', V: 'version' } as const;

/** The flags of every command. */
export const GLOBAL_FLAGS: readonly Flag[] = ['debug', 'help', 'version'];

const COMPLETION_SHELLS = ['bash', 'zsh', 'fish'] as const;
type CompletionShell = (typeof COMPLETION_SHELLS)[number];

/** The line that enables completion in a shell's startup file. */
const ENABLE: Readonly<Record<CompletionShell, string>> = {
  bash: 'source <(cli completion bash)',
  zsh: 'source <(cli completion zsh)',
  fish: 'cli completion fish | source',
};

/**
 * A command: its words, operands and flags, and an example for its help. A command `workflow run` has the short form
 * `run`, which prints for people.
 */
export type Command = Readonly<{
  words:
    | 'workflow run'
    | 'workflow list'
    | 'workflow validate'
    | 'workflow explain'
    | 'workflow graph'
    | 'workflow schema'
    | 'workflow init'
    | 'auth status'
    | `completion ${CompletionShell | 'words'}`;
  /** The operands after the words, and the subject of the error if there are none; the command itself may report that. */
  operands?: Readonly<{ usage: string; missing?: string }>;
  describe: string;
  flags: readonly Flag[];
  /** Whether `--` after the first operand begins arguments for commands. */
  hasArguments?: true;
  /** The values of `--format`; the first is the default. */
  formats?: readonly string[];
  /** The default of the short form, if it is another. */
  shortFormat?: string;
  example: readonly [command: string, describe: string];
}>;

export const COMMANDS: readonly Command[] = [
  {
    words: 'workflow run',
    operands: { usage: ' <name> [KEY:VALUE ...] [-- ARGUMENT ...]' },
    hasArguments: true,
    describe: 'Run a workflow',
    flags: ['file', 'dry-run', 'strict', 'report', 'report-lines', 'format', 'pretty', 'quiet', 'no-ci'],
    formats: ['json', 'text'],
    shortFormat: 'text',
    example: ['cli run release VERSION:1.2.0', 'Run with a variable set'],
  },
  {
    words: 'workflow list',
    describe: 'List workflows',
    flags: ['file', 'all', 'format', 'pretty'],
    formats: ['json', 'table'],
    shortFormat: 'table',
    example: ['cli list --all', 'Include private workflows'],
  },
  {
    words: 'workflow validate',
    describe: 'Check a workflow file for errors',
    flags: ['file', 'strict', 'format', 'pretty', 'no-ci'],
    formats: ['json', 'text', 'gitlab'],
    shortFormat: 'text',
    example: ['cli validate --file ci.json', 'Check another file'],
  },
  {
    words: 'workflow explain',
    operands: { usage: ' <name> [VARIABLE] [KEY:VALUE ...]' },
    describe: 'Show where variables get their values',
    flags: ['file', 'step', 'format', 'pretty'],
    formats: ['text', 'json'],
    example: ['cli explain release VERSION', 'Show what sets VERSION'],
  },
  {
    words: 'workflow graph',
    operands: { usage: ' <name>' },
    describe: 'Draw a workflow for Mermaid or Graphviz',
    flags: ['file', 'format'],
    formats: ['mermaid', 'dot'],
    example: ['cli graph release > release.mmd', 'Save a diagram for GitHub or GitLab'],
  },
  {
    words: 'workflow schema',
    describe: 'Print the JSON Schema of workflow files',
    flags: ['pretty'],
    example: ['cli schema > schema.json', 'Save the schema for an editor'],
  },
  {
    words: 'workflow init',
    describe: 'Create a workflow file',
    flags: ['file', 'from', 'format', 'pretty'],
    formats: ['json', 'text'],
    shortFormat: 'text',
    example: ['cli init --from package.json', 'Convert npm scripts to workflows'],
  },
  {
    words: 'auth status',
    describe: 'Show which credentials are set',
    flags: ['pretty'],
    example: ['cli auth status || exit 1', 'Exit unless credentials are set'],
  },
  ...COMPLETION_SHELLS.map((shell): Command => ({
    words: `completion ${shell}`,
    describe: `Print the ${shell} completion script`,
    flags: [],
    example: [ENABLE[shell], `Enable completion in ${shell}`],
  })),
];

/** Called by the completion scripts; not in the help. */
export const COMPLETION_CALLBACK: Command = {
  words: 'completion words',
  operands: { usage: ' -- <shell> <word> ...', missing: 'the shell' },
  describe: 'Print the completions of a word',
  flags: [],
  example: ["cli completion words -- fish cli run ''", 'Complete the name of a workflow'],
};
