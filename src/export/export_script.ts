import { RESERVED_VARIABLES } from '../frontend/schema/schema.ts';
import { isCheck, lookupsOfOp, isInBackground } from '../ir/ops.ts';
import { at, isWorkflowHook, type HookOp, type Op, type Plan } from '../ir/plan.ts';
import { inputsOf } from '../ir/inputs.ts';
import { secretNames } from '../ir/secret_names.ts';
import { inputLines } from '../ir/views/describe_input.ts';
import { outline } from '../ir/views/dry_run_text.ts';
import { VERSION } from '../base/version.ts';
import { BodyWriter, type PlanDescriber } from './body_writer.ts';
import { checkLines } from './check_lines.ts';
import { hasOutputs } from './output_names.ts';
import { declarations } from './input_lines.ts';
import { questionChecks } from './question_lines.ts';
import { runtimeText } from './runtime_text.ts';
import { quote } from './bash_words.ts';

/** The versions of bash that scripts have been tested with. */
const TESTED = '5.2.15';

/** The file of a plan, functions that describe the plan, and whether its runs store the output of commands. */
export type ScriptSource = PlanDescriber & Readonly<{ path: string; logs: boolean }>;

/** The runtime functions that a plan needs. */
type Needs = ReturnType<typeof needsOf>;

/** The files of functions in the order of the script. */
const PARTS = [
  ...(['steps', 'conditions', 'inputs', 'lookups', 'dotenv', 'processes', 'questions'] as const),
  ...(['timeouts', 'outputs', 'secrets', 'groups', 'background', 'signals'] as const),
];

/** Translates a plan to a bash script that behaves like a run of the plan. */
export function exportScript(plan: Plan, source: ScriptSource): string {
  const writer = new BodyWriter(plan, source);
  const requested = writer.write();
  const { secrets } = writer;
  const own = needsOf(plan);
  const needs = {
    ...own,
    timeouts: own.timeouts || own.secrets,
    outputs: own.outputs || secrets.hasValuesInJson,
    steps: true,
    processes: true,
    signals: true,
  };
  return [
    head(plan, source, needs),
    `${runtimeText('start')}\n`,
    `# Variables that cannot be set.\nwf_reserved=${quote(RESERVED_VARIABLES.source)}\n\n`,
    `${writer.functions.texts.join('\n')}\n`,
    secrets.lines.map((line) => `${line}\n`).join(''),
    `${hooksAndMain(plan, writer, requested, source)}\n`,
    '# The rest of this script is the same for every workflow.\n\n',
    ...PARTS.filter((part) => needs[part]).map((part) => `${runtimeText(part)}\n`),
    `wf_main "$@"\n`,
  ].join('');
}

/** For any shell: dash and bash 3.2 of macOS run this, and cannot parse what follows. */
const VERSION_CHECK = `case \${BASH_VERSION:-0} in
  [5-9]* | [1-9][0-9]* | 4.[4-9]* | 4.[1-9][0-9]*) ;;
  *)
    echo "$0: this script needs bash 4.4 or later (on macOS: brew install bash)" >&2
    exit 2
    ;;
esac`;

/** The comments at the beginning of a script, including its usage. */
function head(plan: Plan, { path, shown, logs }: ScriptSource, needs: Needs): string {
  const inputs = inputsOf(plan, at(plan.calls, 0)) ?? [];
  const comments = [
    `Workflow '${shown(plan.workflow)}' of ${shown(path)}, exported by cli ${VERSION}.`,
    '',
    'bash SCRIPT [KEY:VALUE ...] [--dry-run] [--yes] [-- ARGUMENT ...]',
    '',
    'Runs the same commands as the workflow, in the current directory, with the same order, variables, conditions,',
    'hooks and exit codes. Exits with 0 if the workflow succeeded, 1 if it failed, and 2 if it could not start. An',
    'interrupted script terminates itself with the signal. Steps write to standard error.',
    '',
    `Requires bash 4.4 or later (macOS: brew install bash)${needs.outputs ? ', and python3 or jq 1.7 for values in the output of programs' : ''}. Tested with bash ${TESTED}.`,
    '',
    ...(needs.checks ? [sinceText(plan, shown), ''] : []),
    ...(logs ? ['Keeps no logs of the output of commands.', ''] : []),
    'Not exported: the record of the run and resuming it, reports, the result as JSON, and the confirmation of steps',
    'without a terminal. Best effort: SIGINT to the script alone, and a second signal.',
    '',
    'This script contains all values of the env fields of the workflow file, including secrets. It passes no value as an',
    'argument of a program. Environment variables whose names begin with wf_ are not passed to commands.',
    ...(needs.secrets
      ? ['It starts the programs that print the secrets of the file, and contains none of their values.']
      : []),
    'Options of bash in the environment, such as SHELLOPTS=noexec, do not affect ./SCRIPT.',
  ];
  const usage = [
    'usage: bash SCRIPT [KEY:VALUE ...] [--dry-run] [--yes] [-- ARGUMENT ...]',
    ...inputLines(inputs, secretNames(plan)).map((line) => `  ${shown(line)}`),
  ];
  return [
    '#!/usr/bin/env -S bash -p',
    '# shellcheck disable=SC2016',
    ...comments.map((line) => `# ${line}`.trimEnd()),
    '',
    VERSION_CHECK,
    '',
    `wf_usage() {`,
    `  printf '%s\\n' \\`,
    usage.map((line) => `    ${quote(line)}`).join(' \\\n'),
    '}',
    '',
  ].join('\n');
}

/** Which of the steps with sources a script runs. */
function sinceText({ ops }: Plan, shown: (text: string) => string): string {
  const revisions = ops.flatMap((op) =>
    op.kind === 'condition' && op.test.kind === 'stale' ? (op.test.since?.revision ?? []) : [],
  );
  const [revision] = revisions;
  return revision === undefined
    ? 'Always runs the steps with sources, up to date or not.'
    : `Runs those of the steps with sources that were touched since ${shown(revision)} when it was exported.`;
}

function needsOf({ ops, calls, frames, secrets }: Plan) {
  const has = (matches: (op: Op) => boolean): boolean => ops.some(matches);
  return {
    outputs: has((op) => op.kind === 'run' && hasOutputs(op)),
    groups: has(({ kind }) => kind === 'parallel'),
    hooks: has(isWorkflowHook),
    timeouts: has((op) => op.kind === 'run' && op.options.timeout !== null && !isInBackground(op)),
    background: has(isInBackground),
    conditions: has((op) => op.kind === 'condition' && !isCheck(op)),
    checks: has(isCheck),
    lookups:
      frames.some(({ vars, matrix }) => matrix === true || vars.some((variable) => variable[3] !== undefined)) ||
      has((op) => lookupsOfOp(op).length > 0) ||
      secrets?.some(({ source }) => source?.lookups !== undefined) === true,
    dotenv: frames.some(({ dotenv = [] }) => dotenv.length > 0),
    questions: has((op) => op.kind === 'run' && op.options.confirm !== null),
    inputs: calls.some(({ inputs }) => inputs !== undefined),
    secrets: secrets !== undefined,
  };
}

/** The functions for the hooks and for the run as a whole. */
function hooksAndMain(plan: Plan, writer: BodyWriter, requested: string, { shown }: ScriptSource): string {
  const { scope } = writer;
  const call = at(plan.calls, 0);
  const frames = scope.between(null, call.frame);
  const variables = scope.variables(frames);
  const inputs = frames.flatMap((each) => scope.frame(each).inputs ?? []);
  const needs = needsOf(plan);
  const { ops } = plan;
  const hooks = ops.flatMap((op) => (op.kind === 'hook' && op.call === undefined ? [op] : []));
  const hookLine = (hook: HookOp): string => `wf_${writer.hookLine(hook)}`;
  const { secrets } = writer;
  const lines = [
    'if [[ -n $wf_dry_run ]]; then',
    '  wf_show_plan',
    '  exit 0',
    'fi',
    ...questionChecks(plan, scope, shown),
    ...(needs.outputs ? ["wf_find_reader 'the outputs of steps need one'"] : secrets.readerLines),
    ...(ops.some((op) => isInBackground(op) && op.options.ready?.kind === 'url') ? ['wf_find_curl'] : []),
    ...(needs.outputs || needs.groups || needs.secrets || needs.background
      ? ['wf_tmp=$(mktemp -d) || exit 2', 'wf_memory=$wf_tmp']
      : []),
    ...(needs.outputs && needs.secrets ? ['wf_use_memory'] : []),
    ...(needs.hooks ? ['wf_has_hooks=1'] : []),
    'wf_watch_signals',
    ...(needs.background ? ['wf_watch_servers'] : []),
    ...secrets.earlyLines,
    ...(scope.dotenv(frames).length === 0 ? [] : [`wf_dotenv=(${scope.dotenv(frames).join(' ')})`]),
    ...(variables.length === 0 ? [] : [`wf_scope=(${variables.join(' ')})`]),
    ...(inputs.length === 0 ? [] : declarations(inputs).map((line) => line.replace('local -a ', ''))),
    ...hooks.filter(({ when }) => when === 'start').map(hookLine),
    needs.hooks ? `! wf_continues || ${requested}` : requested,
    ...hooks.filter(({ when }) => when !== 'start').map(hookLine),
    'wf_finish',
  ];
  // Last, with the lookups of all other lines.
  const checks = checkLines(plan, scope, shown);
  const checksFunction = [
    '# What must hold before anything runs.',
    'wf_check() {',
    '  local -a wf_scope wf_inputs wf_defaults wf_dotenv',
    ...checks.map((line) => `  ${line}`),
    '}',
    '',
  ];
  return [
    ...(checks.length === 0 ? [] : checksFunction),
    '# What --dry-run lists.',
    'wf_show_plan() {',
    `  printf '%s\\n' \\`,
    Array.from(outline(plan), (line) => `    ${quote(shown(line))}`).join(' \\\n'),
    '}',
    '',
    '# The run.',
    'wf_main() {',
    ...[...secrets.takeLines, 'wf_read_arguments "$@"', ...(checks.length === 0 ? [] : ['wf_check']), ...lines].map(
      (line) => `  ${line}`,
    ),
    '}',
    '',
  ].join('\n');
}
