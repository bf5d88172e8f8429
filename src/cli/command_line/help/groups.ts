import { COMMANDS, type Command } from '../commands.ts';
import { shortWords } from '../find_command.ts';
import type { Flag } from '../flags.ts';

/** The groups of commands. `main` commands are described in the first help. */
export const COMMAND_GROUPS = ['main', 'look', 'runs', 'plans', 'machines', 'set up'] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

/** The group of each command; null if the help does not list it. */
const GROUP_OF: Readonly<Record<Command['words'], CommandGroup | null>> = {
  'workflow run': 'main',
  'workflow list': 'main',
  'workflow validate': 'main',
  'workflow resume': 'main',
  'workflow init': 'main',
  'workflow explain': 'look',
  'workflow graph': 'look',
  'workflow secrets': 'look',
  'workflow schema': 'look',
  lsp: 'look',
  'workflow runs list': 'runs',
  'workflow runs show': 'runs',
  'workflow runs logs': 'runs',
  'workflow runs wait': 'runs',
  'workflow runs cancel': 'runs',
  'workflow runs resume': 'runs',
  'workflow runs prune': 'runs',
  ui: 'runs',
  mcp: 'runs',
  'workflow plan': 'plans',
  'workflow diff': 'plans',
  'workflow status': 'plans',
  'workflow export': 'plans',
  worker: 'machines',
  'auth status': 'set up',
  'completion bash': 'set up',
  'completion zsh': 'set up',
  'completion fish': 'set up',
  'completion words': null,
  'workflow process': null,
};

/** The commands of a group, in the order of the table above. */
export function commandsIn(group: CommandGroup): readonly Command[] {
  const order = Object.keys(GROUP_OF);
  const found = COMMANDS.filter(({ words }) => GROUP_OF[words] === group);
  return found.toSorted((one, other) => order.indexOf(one.words) - order.indexOf(other.words));
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

/** The group of each flag of `run` and `resume`; `common` for the flags of other commands. */
export const GROUP_OF_FLAG: Readonly<Record<Flag, FlagGroup>> = {
  file: 'common',
  'dry-run': 'common',
  assume: 'common',
  'plan-digest': 'common',
  watch: 'common',
  yes: 'common',
  'no-wait': 'common',
  strict: 'common',
  debug: 'common',
  help: 'common',
  version: 'common',
  from: 'part',
  until: 'part',
  only: 'part',
  force: 'part',
  last: 'resume',
  changed: 'resume',
  'on-crash': 'resume',
  done: 'resume',
  rerun: 'resume',
  orphans: 'resume',
  'take-over': 'resume',
  trust: 'resume',
  report: 'output',
  'report-lines': 'output',
  events: 'output',
  logs: 'output',
  'no-logs': 'output',
  'no-journal': 'output',
  web: 'output',
  format: 'output',
  pretty: 'output',
  quiet: 'output',
  'no-ci': 'output',
  on: 'machines',
  tag: 'machines',
  lock: 'machines',
  id: 'machines',
  priority: 'machines',
  checkout: 'machines',
  detach: 'machines',
  to: 'common',
  untagged: 'common',
  'own-plans': 'common',
  jobs: 'common',
  name: 'common',
  lease: 'common',
  check: 'common',
  digest: 'common',
  keep: 'common',
  step: 'common',
  'no-fallback': 'common',
  stdio: 'common',
  port: 'common',
  'read-only': 'common',
  all: 'common',
};
