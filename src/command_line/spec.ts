/** Every flag: a switch is there or not, a value or path takes the next word, or what follows `=`. */
export const FLAGS = {
  file: { takes: 'path', describe: 'Path of the workflow file; - reads standard input' },
  'dry-run': { takes: 'nothing', describe: 'Print what would run, and run nothing' },
  report: { takes: 'path', describe: 'Write a report: JSON, *.xml for JUnit, *.html for a page' },
  from: { takes: 'path', describe: 'A package.json whose scripts become workflows' },
  step: { takes: 'value', describe: 'Only the step of this name or number' },
  format: { takes: 'value', describe: 'Form of the output' },
  all: { takes: 'nothing', describe: 'Include private workflows' },
  pretty: { takes: 'nothing', describe: 'Lay the JSON document out over several lines' },
  strict: { takes: 'nothing', describe: 'Count warnings as errors' },
  quiet: { takes: 'nothing', describe: 'Say nothing but what the steps print, and errors' },
  'no-ci': { takes: 'nothing', describe: 'Treat GitHub Actions and GitLab CI as any other machine' },
  debug: { takes: 'nothing', describe: 'Say on standard error what happens and why' },
  help: { takes: 'nothing', describe: 'Show help' },
  version: { takes: 'nothing', describe: 'Show the version number' },
} as const;

export type Flag = keyof typeof FLAGS;

/** The flags that every command takes. */
export const GLOBAL_FLAGS: readonly Flag[] = ['debug', 'help', 'version'];

/** The shells that complete command lines of the tool. */
const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** How each of them is told to, in a file that it reads when it starts. */
const SWITCHES_ON: Readonly<Record<Shell, string>> = {
  bash: 'source <(cli completion bash)',
  zsh: 'source <(cli completion zsh)',
  fish: 'cli completion fish | source',
};

/** A command: the words it is called by, what may follow them, its own flags, and an example. */
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
    | `completion ${Shell | 'words'}`;
  /** What follows the words, and what is missing if nothing does. */
  operands?: Readonly<{ usage: string; missing: string }>;
  describe: string;
  flags: readonly Flag[];
  /** What `--format` may say; the first is what holds without it. */
  formats?: readonly string[];
  example: readonly [command: string, describe: string];
}>;

/** Every command. */
export const COMMANDS: readonly Command[] = [
  {
    words: 'workflow run',
    operands: { usage: ' <name> [KEY:VALUE ...]', missing: 'the name of the workflow' },
    describe: 'Run a workflow',
    flags: ['file', 'dry-run', 'strict', 'report', 'pretty', 'quiet', 'no-ci'],
    example: ['cli workflow run release VERSION:1.2.0', 'Run it with a variable set'],
  },
  {
    words: 'workflow list',
    describe: 'List the workflows of a file',
    flags: ['file', 'all', 'format', 'pretty'],
    formats: ['json', 'table'],
    example: ['cli workflow list --all --pretty', 'List private workflows too'],
  },
  {
    words: 'workflow validate',
    describe: 'Report every error in a file',
    flags: ['file', 'strict', 'format', 'pretty'],
    formats: ['json', 'text'],
    example: ['cli workflow validate --file ci.json', 'Check another file'],
  },
  {
    words: 'workflow explain',
    operands: { usage: ' <name> [VARIABLE] [KEY:VALUE ...]', missing: 'the name of the workflow' },
    describe: 'Tell where variables of steps come from',
    flags: ['file', 'step', 'format', 'pretty'],
    formats: ['text', 'json'],
    example: ['cli workflow explain release VERSION', 'Which source sets VERSION'],
  },
  {
    words: 'workflow graph',
    operands: { usage: ' <name>', missing: 'the name of the workflow' },
    describe: 'Draw a workflow, for Mermaid or Graphviz',
    flags: ['file', 'format'],
    formats: ['mermaid', 'dot'],
    example: ['cli workflow graph release > release.mmd', 'A diagram for GitHub and GitLab'],
  },
  {
    words: 'workflow schema',
    describe: 'Print the JSON Schema of workflow files',
    flags: ['pretty'],
    example: ['cli workflow schema > schema.json', 'Let an editor check a file'],
  },
  {
    words: 'workflow init',
    describe: 'Write a workflow file to begin with',
    flags: ['file', 'from', 'pretty'],
    example: ['cli workflow init --from package.json', 'With the scripts of npm as workflows'],
  },
  {
    words: 'auth status',
    describe: 'Tell which credentials are set',
    flags: ['pretty'],
    example: ['cli auth status || exit 1', 'Stop a script without credentials'],
  },
  ...SHELLS.map((shell): Command => ({
    words: `completion ${shell}`,
    describe: `Print what lets ${shell} complete commands`,
    flags: [],
    example: [SWITCHES_ON[shell], 'Switch it on'],
  })),
];

/** What those scripts call; nobody else needs to know it. */
export const COMPLETION_CALLBACK: Command = {
  words: 'completion words',
  operands: { usage: ' -- <shell> <word> ...', missing: 'the shell' },
  describe: 'Tell what could stand at the cursor',
  flags: [],
  example: ["cli completion words -- fish cli workflow run ''", 'The names of workflows'],
};
