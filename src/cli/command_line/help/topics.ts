import { STEP_DOCS, WORKFLOW_DOCS } from '../../../frontend/schema/field_docs.ts';
import { inlineJson } from '../../../frontend/schema/field_help.ts';
import { INPUT_DOCS, RETRY_DOCS } from '../../../frontend/schema/object_docs.ts';
import { FLAG_NAMES, type Flag } from '../flags.ts';
import { flagRow, twoColumns, EXIT_CODES } from './help_layout.ts';
import { OBJECTS, type Docs } from './field_text.ts';
import { TOPICS, type Topic } from './topic_names.ts';
import type { HasAll } from '../../../base/keys.ts';

/** The texts of the topics, above their fields and flags. */
const TOPIC_TEXTS: Readonly<Record<Topic, string>> = {
  file: `JSON, by default .cli/workflow.json; comments and trailing commas are allowed.
  { "workflows": { "ci": { "steps": ["npm ci", { "run": "npm test" }] } } }
Keys that begin with x- are ignored. To check a file: cli validate`,
  variables: `Every command gets its variables in its environment; cli replaces nothing in a
command. The sources of a variable, from the highest to the lowest priority:
  1. a parameter: cli run release VERSION:1.2.0
  2. "with" of the step
  3. "with" of the call, then "env" of the called workflow, from the innermost
     call to the outermost
  4. "env" of the workflow on the command line
  5. "env" of the file
  6. the environment of cli
  7. dotenv files, then the defaults of inputs
For one variable: cli explain WORKFLOW NAME
A parameter, the environment or the default of an input chooses a dotenv file:
  "dotenv": [".env", ".env.\${vars.STAGE:-dev}"]

A variable is secret if it is an input with "secret": true, or if its name
contains TOKEN, SECRET, PASSWORD, CREDENTIAL, PRIVATE_KEY, API_KEY or the like
and does not end in _PATH, _FILE, _ID, _VERSION or _NAME. Reports, stored output
and commands such as cli explain show its value as ***. The output of steps on
standard error is never changed.

Every step gets the variables of the environment and of "dotenv", including
secrets. To give a secret to some steps only, declare it in "secrets" of the
file, with the program that prints it (op, pass, vault), and list it in
"secrets" of these steps. To check such a file: cli secrets --check
For a secret of a dotenv file, leave that file out of "dotenv", and declare:
  "secrets": {
    "KEY": { "command": ["sh", "-c", "set -a; . ./.env; printenv KEY"] } }
Steps that do not list it do not receive it, and may not mention it.`,
  conditions: `A step with "if" runs only if its condition holds. Otherwise it is skipped, and
the run continues.
  "if": "PUBLISH"          the variable PUBLISH is set and not empty
  "if": "test -d dist"     the command exits with 0
If a tested variable is false, 0, no, n or off, the run does not start: pass an
empty value instead (PUBLISH:), or declare PUBLISH as an input of type boolean.`,
  outputs: `A step with a name and "outputs" passes values from its standard output to later
commands, which refer to them as \${steps.NAME.KEY}. In a command, the value is
data: it is never run. \${steps.NAME.KEY:-text} uses the text if the output has
no value, for example because the step was skipped. \${steps.NAME.exit_code} is
the exit code of a step with "allow_failure"; in hooks, of any step.`,
  inputs: `Values are given as KEY:VALUE or KEY=VALUE. Values without a name are assigned
to the declared inputs that are not secret, in the order of the file.
  cli run release VERSION:1.2.0 TRACK:beta
  cli run release 1.2.0 beta
At a terminal, cli run asks for required inputs without a value. To show the
inputs of a workflow: cli run NAME --help

Words after -- are arguments for the commands that contain "$@":
  cli run test -- --verbose        with the step "npm test -- \\"$@\\""`,
  parallel: `The members of a group run at the same time, and each line of their output
begins with the name of its member. With "matrix", a step runs once for each
combination of values, one after the other; a step with "matrix" in a group runs
at the same time for all of them.`,
  resuming: `Runs are recorded in .cli/runs. After a failure or an interruption:
  cli resume --last           run the rest; finished steps are not repeated
  cli resume --last -n        show what would run
  cli resume --last --logs    run the rest, and store the output of its commands
  cli runs list               the recorded runs
  cli runs show --failed      why the newest failed run failed
  cli runs logs --failed      the output of its commands
The file may be edited before a resume. To run a part of a workflow, use
cli run NAME with --from, --until or --only. The output of commands is stored
unless standard error is a terminal or CI is set; --logs stores it always.
The flags below belong to several commands: cli help COMMAND lists its own.`,
  machines: `Workers take runs from a PostgreSQL database, and execute them:
  cli worker --on postgres://db/ci --tag linux
  cli run release --on postgres://db/ci --tag linux
CLI_ON sets the URL for cli worker and cli runs. Ctrl-C during a run interrupts
the remote run.`,
  ci: `On GitHub Actions, the output has groups and annotations, and secrets are masked
in the log. On GitLab CI, it has sections; mask secrets in the settings of the
project, as CI/CD variables that are masked.
  cli run ci --report report.xml      JUnit, for the test results of the service
  cli validate --strict               fail on warnings in the file
  cli plan --check release.plan       fail if the plan has changed
  cli plan release --digest           print the digest of the plan
  cli run release --plan-digest HEX   run only the plan with this digest
In scripts, use the long forms, such as cli workflow run, which print JSON.
Without a terminal, a step with "confirm" needs --yes.`,
  'exit-codes': `${EXIT_CODES.replace('Exit codes:\n', '')}

A list of commands ("run": ["npm ci", "npm test"]) ends at the first one that
fails. A text with line breaks continues after a failing line and ends with the
exit code of its last line; to end it at the first failure, begin with set -e.`,
};

/** The flags of each topic. */
const FLAGS_ABOUT = {
  file: ['file', 'all', 'portable', 'stdio', 'no-fallback'],
  variables: ['step', 'debug'],
  conditions: ['watch', 'dry-run', 'assume', 'since', 'force', 'no-wait'],
  outputs: [],
  inputs: [],
  parallel: [],
  resuming: [
    ...(['stats', 'port', 'read-only', 'web', 'from', 'until', 'only'] as const),
    ...(['last', 'failed', 'changed', 'on-crash', 'done'] as const),
    ...(['rerun', 'orphans', 'take-over', 'trust', 'logs', 'no-logs', 'raw', 'no-journal', 'keep'] as const),
  ],
  machines: [
    ...(['on', 'tag', 'lock', 'id', 'priority', 'checkout', 'detach', 'untagged', 'own-plans'] as const),
    ...(['jobs', 'name', 'lease'] as const),
  ],
  ci: [
    ...(['report', 'report-lines', 'events', 'strict', 'yes', 'quiet', 'no-ci', 'format', 'pretty'] as const),
    ...(['to', 'digest', 'plan-digest', 'check', 'output'] as const),
  ],
  'exit-codes': ['help', 'version'],
} as const satisfies Readonly<Record<Topic, readonly Flag[]>>;
// A flag without a topic does not compile.
true satisfies HasAll<Flag, typeof FLAGS_ABOUT>;

function flagsAbout(topic: Topic): readonly Flag[] {
  return FLAGS_ABOUT[topic];
}

/** The fields that a topic describes in full. */
const FIELDS: Readonly<Record<Exclude<Topic, 'file'>, Docs>> = {
  variables: pick(WORKFLOW_DOCS, ['env', 'dotenv'], pick(STEP_DOCS, ['with'])),
  conditions: pick(STEP_DOCS, ['if', 'sources', 'generates'], pick(WORKFLOW_DOCS, ['once'])),
  outputs: pick(STEP_DOCS, ['outputs', 'name']),
  inputs: pick(WORKFLOW_DOCS, ['inputs'], INPUT_DOCS),
  parallel: pick(STEP_DOCS, ['parallel', 'max_parallel', 'fail_fast', 'output', 'matrix', 'background', 'ready']),
  resuming: pick(STEP_DOCS, ['on_crash', 'on_resume', 'retry', 'timeout', 'allow_failure'], RETRY_DOCS),
  machines: {},
  ci: pick(STEP_DOCS, ['confirm']),
  'exit-codes': pick(STEP_DOCS, ['run', 'allow_failure']),
};

/** The text of a topic. */
export function topicText(topic: Topic, columns: number): string {
  const own = flagsAbout(topic);
  const flags = FLAG_NAMES.filter((flag) => own.includes(flag)).map((flag) => flagRow(flag, undefined));
  return [
    `${TOPICS[topic]}.`,
    TOPIC_TEXTS[topic],
    ...(topic === 'file' ? fileFormat(columns) : fieldTable('Fields', FIELDS[topic], columns, (text) => text)),
    ...(flags.length === 0 ? [] : [['Flags:', ...twoColumns(flags, columns)].join('\n')]),
  ].join('\n\n');
}

/** All fields of the file format, each with the first sentence of its description. */
function fileFormat(columns: number): string[] {
  return OBJECTS.flatMap(([title, docs]) => fieldTable(title, docs, columns, firstSentence));
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.) /)[0] ?? text;
}

function fieldTable(title: string, docs: Docs, columns: number, shorten: (text: string) => string): string[] {
  const rows = Object.entries(docs).map(([name, { description, examples }]) => {
    return [`"${name}": ${inlineJson(examples[0])}`, shorten(description).replaceAll('`', '')] as const;
  });
  return rows.length === 0 ? [] : [[`${title}:`, ...twoColumns(rows, columns)].join('\n')];
}

function pick(docs: Docs, names: readonly string[], more: Docs = {}): Docs {
  return { ...Object.fromEntries(Object.entries(docs).filter(([name]) => names.includes(name))), ...more };
}
