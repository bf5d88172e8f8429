import { COMPLETION_SHELLS, type CommandWords, type CompletionShell, type Flag, type OwnFlags } from './flags.ts';

/** The line that enables completion in a shell's startup file. */
const ENABLE: Readonly<Record<CompletionShell, string>> = {
  bash: 'source <(cli completion bash)',
  zsh: 'source <(cli completion zsh)',
  fish: 'cli completion fish | source',
};

/** The error if neither a run nor `--last` is given. */
const NO_RUN = 'name a run (cli runs lists them), or add --last for the newest';

/** The flags in place of a run. */
const NEWEST = ['last', 'failed'] as const;

/**
 * A command: its words, operands and flags, and an example for its help. The command `workflow run` has the short form
 * `run`, which prints for people.
 */
export type Command = Readonly<{
  words: CommandWords;
  /**
   * The usage of the operands, and the error if they are missing. Without `missing`, the command itself
   * reports the error. A flag of `unless` may replace the operands. The short form needs none if `isOptional`.
   */
  operands?: Readonly<{ usage: string; missing?: string; unless?: readonly Flag[]; isOptional?: true }>;
  describe: string;
  flags: readonly Flag[];
  /** Whether the words after `--`, which follows the first operand, are arguments for commands. */
  hasArguments?: true;
  /** The flags with a different meaning in this command. */
  ownFlags?: OwnFlags;
  /** The values of `--format`. The first is the default, unless the short form has another one. */
  formats?: readonly string[];
  shortFormat?: string;
  /** The default of `--format` in the short form at a terminal. The command itself applies it. */
  terminalFormat?: string;
  example: readonly [command: string, describe: string];
}>;

const RUN_FLAGS: readonly Flag[] = [
  ...(['file', 'dry-run', 'strict', 'report', 'report-lines', 'events', 'format', 'pretty', 'quiet', 'no-ci'] as const),
  ...(['from', 'until', 'only', 'force', 'yes', 'watch', 'output', 'logs'] as const),
  ...(['no-logs', 'no-journal', 'no-wait'] as const),
];

const JSON_OR_TEXT = { formats: ['json', 'text'], shortFormat: 'text' } as const;
const JSON_OR_TABLE = { formats: ['json', 'table'], shortFormat: 'table' } as const;

export const COMMANDS: readonly Command[] = [
  {
    words: 'workflow run',
    operands: { usage: ' <name> [VALUE|KEY:VALUE ...] [+ <name> ...] [-- ARGUMENT ...]' },
    hasArguments: true,
    describe: 'Run a workflow, or several',
    ownFlags: { on: { takes: 'value', describe: 'Run on a worker of the database with this URL' } },
    flags: [
      ...RUN_FLAGS,
      ...(['since', 'web', 'plan-digest', 'assume'] as const),
      ...(['on', 'tag', 'lock', 'id', 'priority', 'checkout', 'detach'] as const),
    ],
    ...JSON_OR_TEXT,
    example: ['cli run release VERSION:1.2.0', 'Run a workflow with a parameter'],
  },
  {
    words: 'workflow resume',
    operands: { usage: ' <run>|--last [KEY:VALUE ...] [-- ARGUMENT ...]', missing: NO_RUN, unless: ['last'] },
    hasArguments: true,
    describe: 'Continue a failed or interrupted run',
    flags: [
      ...(['last', 'trust', 'changed', 'on-crash', 'done', 'rerun', 'orphans', 'take-over'] as const),
      // A resume is always recorded and never watches.
      ...RUN_FLAGS.filter((flag) => flag !== 'no-journal' && flag !== 'watch'),
    ],
    ...JSON_OR_TEXT,
    example: ['cli resume --last', 'Continue the newest run'],
  },
  {
    words: 'workflow runs list',
    operands: { usage: ' [--stats [WORKFLOW]]' },
    describe: 'List the recorded runs',
    flags: ['failed', 'stats', 'on', 'file', 'format', 'pretty'],
    ...JSON_OR_TABLE,
    example: ['cli runs list', 'Show the recorded runs'],
  },
  {
    words: 'workflow runs show',
    operands: { usage: ' <run>|--last|--failed', missing: NO_RUN, unless: NEWEST, isOptional: true },
    describe: 'Show a recorded run, and why it failed',
    flags: [...NEWEST, 'trust', 'on', 'file', 'report', 'format', 'pretty'],
    formats: ['json', 'text'],
    terminalFormat: 'text',
    ownFlags: { report: { takes: 'path', repeatable: true, describe: 'Write the HTML report of the run (*.html)' } },
    example: ['cli runs show --failed', 'Show why a run failed'],
  },
  {
    words: 'workflow runs logs',
    operands: { usage: ' <run>|--last|--failed [STEP]', missing: NO_RUN, unless: NEWEST, isOptional: true },
    describe: 'Print the stored output of a run',
    flags: ['on', ...NEWEST, 'trust', 'raw', 'file'],
    example: ['cli runs logs --last upload', 'Show the output of a step'],
  },
  {
    words: 'workflow runs wait',
    operands: { usage: ' <run>', missing: 'the run is missing' },
    describe: 'Wait for the end of a run',
    flags: ['on', 'trust', 'file', 'format', 'pretty', 'quiet'],
    ownFlags: { quiet: { takes: 'nothing', describe: 'Print only the result of the run, not its output' } },
    ...JSON_OR_TEXT,
    example: ['cli runs wait 20261122-065701-hdv3n', 'Exit as the run does'],
  },
  {
    words: 'workflow runs cancel',
    operands: { usage: ' <run>', missing: 'the run is missing' },
    describe: 'Interrupt a run',
    flags: ['on', 'file', 'pretty'],
    example: ['cli runs cancel 20261122-065701-hdv3n', 'Interrupt the run, and wait for its end'],
  },
  {
    words: 'workflow runs resume',
    operands: { usage: ' <run>', missing: 'the run is missing' },
    describe: 'Resume a remote run',
    flags: ['on', 'format', 'pretty'],
    ...JSON_OR_TEXT,
    example: ['cli runs resume 20261122-065701-hdv3n', 'Continue a failed or interrupted run'],
  },
  {
    words: 'workflow runs prune',
    describe: 'Remove the records of old runs',
    flags: ['keep', 'all', 'file', 'pretty'],
    ownFlags: { all: { takes: 'nothing', describe: 'Remove all runs' } },
    example: ['cli runs prune --keep 10', 'Keep the ten newest runs'],
  },
  {
    words: 'workflow list',
    describe: 'List workflows',
    flags: ['file', 'all', 'format', 'pretty'],
    ...JSON_OR_TABLE,
    example: ['cli list --all', 'Include private workflows'],
  },
  {
    words: 'workflow validate',
    describe: 'Check a workflow file for errors',
    flags: ['file', 'strict', 'portable', 'format', 'pretty', 'no-ci'],
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
    words: 'workflow status',
    operands: { usage: ' [name] [VALUE|KEY:VALUE ...] [-- ARGUMENT ...]' },
    hasArguments: true,
    describe: 'Show which steps are up to date',
    flags: ['file', 'format', 'pretty'],
    ...JSON_OR_TEXT,
    example: ['cli status build', 'Show why steps would run'],
  },
  {
    words: 'workflow graph',
    operands: { usage: ' <name>' },
    describe: 'Draw a workflow for Mermaid or Graphviz',
    flags: ['file', 'assume', 'format'],
    formats: ['mermaid', 'dot'],
    example: ['cli graph release > release.mmd', 'Save a diagram for GitHub or GitLab'],
  },
  {
    words: 'workflow plan',
    operands: { usage: ' <name> [VALUE|KEY:VALUE ...] [-- ARGUMENT ...]' },
    hasArguments: true,
    describe: 'Print a plan or its digest, or check a plan file',
    flags: ['check', 'digest', 'file', 'format', 'pretty'],
    formats: ['text', 'json'],
    example: ['cli plan --check release.plan', 'Fail if the plan has changed'],
  },
  {
    words: 'workflow diff',
    operands: { usage: ' [name] [VALUE|KEY:VALUE ...]' },
    describe: 'Show what an edit changes in a run',
    flags: ['from', 'to', 'file', 'format', 'pretty'],
    ownFlags: { from: { takes: 'path', describe: 'The older file or revision; HEAD by default' } },
    formats: ['json', 'text', 'markdown'],
    shortFormat: 'text',
    example: ['cli diff release --from main', 'Compare with the workflow of a branch'],
  },
  {
    words: 'workflow export',
    operands: { usage: ' <name>' },
    describe: 'Print a workflow as a bash script',
    flags: ['since', 'file', 'format'],
    formats: ['bash'],
    example: ['cli export release > release.sh', 'Run a workflow without cli'],
  },
  {
    words: 'workflow secrets',
    describe: 'List the secrets of a file, or check them',
    flags: ['check', 'file', 'format', 'pretty'],
    ownFlags: { check: { takes: 'nothing', describe: 'Fetch each secret, and name failures' } },
    ...JSON_OR_TABLE,
    example: ['cli secrets --check', 'Check the secrets on a new machine'],
  },
  {
    words: 'workflow schema',
    describe: 'Print the JSON Schema of workflow files',
    flags: ['pretty'],
    example: ['cli schema > schema.json', 'Save the schema for an editor'],
  },
  {
    words: 'ui',
    describe: 'Show the recorded runs in a browser (also: cli page)',
    flags: ['port', 'read-only', 'on'],
    ownFlags: { on: { takes: 'value', describe: 'Show the runs in this database' } },
    example: ['cli ui --port 41873', 'Use a fixed port'],
  },
  { words: 'mcp', describe: 'Serve a coding agent (MCP)', flags: ['file'], example: ['cli mcp', 'Run by an agent'] },
  {
    words: 'lsp',
    describe: 'Serve an editor (LSP): errors, completion, renames',
    flags: ['stdio'],
    example: ['cli lsp', 'The command in the settings of an editor'],
  },
  {
    words: 'workflow init',
    describe: 'Create a workflow file',
    flags: ['file', 'from', 'no-fallback', 'format', 'pretty'],
    ownFlags: { from: { takes: 'path', describe: 'Convert a package.json, justfile, Taskfile.yml or Makefile' } },
    ...JSON_OR_TEXT,
    example: ['cli init --from package.json', 'Convert npm scripts to workflows'],
  },
  {
    words: 'worker',
    describe: 'Execute runs from a database',
    flags: ['on', 'tag', 'untagged', 'jobs', 'name', 'lease', 'keep', 'own-plans'],
    ownFlags: {
      tag: { takes: 'value', repeatable: true, describe: 'Take runs with this tag (repeatable)' },
      keep: { takes: 'value', describe: 'Days to keep ended runs (default: 30)' },
    },
    example: ['cli worker --on postgres://db/ci', 'Take the runs that have no tag'],
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
