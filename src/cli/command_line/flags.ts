import { keysOf } from '../../base/keys.ts';

/** All flags. A flag that takes a value or a path takes the next word, or the text after `=`. */
export const FLAGS = {
  file: {
    takes: 'path',
    describe:
      'The workflow file (default: .cli/workflow.json); - is standard input; steps run in the current directory',
  },
  'dry-run': { takes: 'nothing', describe: 'Show what would run without running it' },
  report: { takes: 'path', repeatable: true, describe: 'Write a report: JSON, *.xml (JUnit) or *.html (repeatable)' },
  events: { takes: 'path', describe: 'Write events to a file or to fd:N, one JSON line each' },
  'no-journal': { takes: 'nothing', describe: 'Do not record the run' },
  logs: { takes: 'nothing', describe: "Store the output of commands in files, for 'runs logs'" },
  'no-fallback': { takes: 'nothing', describe: 'Leave out what cannot be converted' },
  'no-logs': { takes: 'nothing', describe: 'Do not store the output of commands' },
  from: { takes: 'value', once: true, describe: 'Begin with this step' },
  to: { takes: 'path', describe: 'The newer file or revision; the workflow file by default' },
  until: { takes: 'value', once: true, describe: 'End after this step' },
  only: { takes: 'value', once: true, describe: 'Run only this step' },
  force: { takes: 'nothing', describe: 'Also run steps that are up to date' },
  since: { takes: 'value', once: true, describe: 'Skip steps whose sources have not changed since a Git revision' },
  last: { takes: 'nothing', describe: 'Use the newest run' },
  failed: { takes: 'nothing', describe: 'Use the newest run that failed or crashed, or list only these' },
  changed: { takes: 'value', values: ['keep', 'rerun'], describe: 'Keep edited steps, or rerun from the first one' },
  'on-crash': { takes: 'value', values: ['ask', 'rerun', 'fail'], describe: 'What to do with a step that was running' },
  done: { takes: 'value', repeatable: true, describe: 'Count this step as finished (repeatable)' },
  rerun: { takes: 'value', repeatable: true, describe: 'Run this step again (repeatable)' },
  orphans: { takes: 'value', values: ['wait', 'end'], describe: 'Wait for leftover processes of the run, or end them' },
  'take-over': { takes: 'nothing', describe: 'Resume a run that may still be running elsewhere' },
  raw: { takes: 'nothing', describe: 'Also print output that may contain secrets: that of a step that was killed' },
  trust: { takes: 'nothing', describe: 'Trust records of another user or machine' },
  assume: {
    takes: 'value',
    repeatable: true,
    describe: 'Assume STEP=fail|skip|ok|dies|CODE in a dry run (repeatable)',
  },
  on: { takes: 'value', describe: 'The URL of the database of workers (default: CLI_ON)' },
  tag: { takes: 'value', repeatable: true, describe: 'Run on a worker with this tag' },
  'no-wait': { takes: 'nothing', describe: 'Fail if another run holds a lock of the workflow' },
  lock: { takes: 'value', describe: 'Wait for earlier runs with this lock' },
  id: { takes: 'value', describe: 'Id of the run; a run with the same id is not started again' },
  priority: { takes: 'value', describe: 'Priority from 0 (first) to 9 (default: 5)' },
  checkout: { takes: 'nothing', describe: 'Check out the pushed commit on the worker, and run there' },
  detach: { takes: 'nothing', describe: 'Print the id of the run, and do not wait' },
  untagged: { takes: 'nothing', describe: 'Also take runs without a tag' },
  'own-plans': { takes: 'nothing', describe: "Accept only plans of the worker's own workflow file" },
  jobs: { takes: 'value', describe: 'Maximum number of concurrent runs per tag (default: 1)' },
  name: { takes: 'value', describe: 'Name of the worker (default: the host name)' },
  lease: { takes: 'value', describe: 'Seconds until an unreachable worker counts as lost (default: 30)' },
  check: { takes: 'path', describe: 'Compare a plan file with the current plan' },
  digest: { takes: 'nothing', describe: "Print the digest of the plan, for 'run --plan-digest'" },
  'plan-digest': { takes: 'value', once: true, describe: 'Run only the plan with this digest' },
  keep: { takes: 'value', describe: 'Number of runs to keep (default: 50)' },
  step: { takes: 'value', describe: 'Show only the step with this name or number' },
  format: { takes: 'value', describe: 'Output format' },
  all: { takes: 'nothing', describe: 'Include private workflows' },
  stats: { takes: 'nothing', describe: 'Show how often runs succeeded, and their times' },
  pretty: { takes: 'nothing', describe: 'Indent JSON output' },
  output: {
    takes: 'value',
    values: ['all', 'failures'],
    describe: 'Print all output of steps, or that of failed ones',
  },
  'report-lines': { takes: 'value', describe: 'Lines of output per step in the report (default: 50)' },
  watch: { takes: 'path', repeatable: true, describe: 'Run again when this file or directory changes (repeatable)' },
  yes: { takes: 'nothing', describe: "Answer yes to the questions of steps ('confirm')" },
  strict: { takes: 'nothing', describe: 'Treat warnings as errors' },
  portable: { takes: 'nothing', describe: 'Warn of shell syntax that bash 3.2 of macOS lacks' },
  quiet: { takes: 'nothing', describe: 'Print only errors and the output of steps' },
  'no-ci': { takes: 'nothing', describe: 'Turn off the output for GitHub Actions and GitLab CI' },
  web: { takes: 'nothing', describe: 'Show the run in a browser' },
  port: { takes: 'value', once: true, describe: 'Port (default: a free one, safe from other service workers)' },
  'read-only': { takes: 'nothing', describe: 'Show no buttons that change runs' },
  stdio: { takes: 'nothing', describe: 'No effect; editors add it' },
  debug: { takes: 'nothing', describe: 'Print debugging information to standard error' },
  help: { takes: 'nothing', describe: 'Print help' },
  version: { takes: 'nothing', describe: 'Print the version' },
} as const;

export type Flag = keyof typeof FLAGS;

export const FLAG_NAMES: readonly Flag[] = keysOf(FLAGS);
/** Whether a flag takes no value, in a command or in the commands that give it no meaning of their own. */
export const isSwitch = (name: Flag, command?: Readonly<{ ownFlags?: OwnFlags }>): boolean =>
  flagSpec(name, command).takes === 'nothing';

/** The argument of a flag, and its help. */
export type FlagSpec = Readonly<{
  takes: 'nothing' | 'value' | 'path';
  /** The permitted values. */
  values?: readonly string[];
  /** Whether the flag may be repeated. */
  repeatable?: true;
  /** Whether a second value is an error. Otherwise the last one applies, as wrapper scripts expect. */
  once?: true;
  describe: string;
}>;

/** The flags with a different meaning in some command. */
export type OwnFlags = Readonly<Partial<Record<Flag, FlagSpec>>>;

/** The meaning of a flag of a command. */
export function flagSpec(flag: Flag, command: Readonly<{ ownFlags?: OwnFlags }> | undefined): FlagSpec {
  return command?.ownFlags?.[flag] ?? FLAGS[flag];
}

/** The one-letter forms of flags. */
export const LETTERS = { f: 'file', n: 'dry-run', q: 'quiet', h: 'help', V: 'version' } as const;

/** The flags of every command. */
export const GLOBAL_FLAGS: readonly Flag[] = ['debug', 'help'];

/** The flags of a command, or without one. */
export function flagsOf(command: Readonly<{ flags: readonly Flag[] }> | undefined): readonly Flag[] {
  return command === undefined ? [...GLOBAL_FLAGS, 'version'] : [...command.flags, ...GLOBAL_FLAGS];
}

export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletionShell = (typeof COMPLETION_SHELLS)[number];

/** The words of each command in its long form. */
export type CommandWords =
  | `workflow ${'run' | 'list' | 'validate' | 'explain' | 'status' | 'graph' | 'plan' | 'diff' | 'export'}`
  | `workflow ${'secrets' | 'schema' | 'init' | 'resume' | 'process'}`
  | `workflow runs ${'list' | 'show' | 'logs' | 'wait' | 'cancel' | 'resume' | 'prune'}`
  | 'worker'
  | 'lsp'
  | 'ui'
  | 'mcp'
  | 'auth status'
  | `completion ${CompletionShell | 'words'}`;
