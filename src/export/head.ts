import { inputsOf } from '../ir/inputs.ts';
import { at, type Plan } from '../ir/plan.ts';
import { inputLines } from '../ir/views/describe_input.ts';
import { secretNames } from '../ir/secrets.ts';
import { quote } from './words.ts';
import type { ScriptSource } from './script_source.ts';

/** The versions of bash that scripts have been tested with. */
const TESTED = '5.2.15';

/** The comments at the beginning of a script, including its usage. */
export function head(
  plan: Plan,
  { path, shown }: ScriptSource,
  version: string,
  needs: { readonly outputs: boolean },
): string {
  const inputs = inputsOf(plan, at(plan.calls, 0)) ?? [];
  const comments = [
    `Workflow '${shown(plan.workflow)}' of ${shown(path)}, exported by cli ${version}.`,
    '',
    'bash SCRIPT [KEY:VALUE ...] [--dry-run] [--yes] [-- ARGUMENT ...]',
    '',
    'Runs the same commands as the workflow, in the current directory, with the same order, variables, conditions,',
    'hooks and exit codes. Exits with 0 if the workflow succeeded, 1 if it failed, and 2 if it could not start. An',
    'interrupted script terminates itself with the signal. Steps write to standard error.',
    '',
    `Requires bash 4.4 or later and the GNU core utilities${needs.outputs ? ', and python3 or jq 1.7 for the outputs of steps' : ''}. Tested with bash ${TESTED}.`,
    '',
    'Not exported: the record of the run and resuming it, reports, the result as JSON, and the confirmation of steps',
    'without a terminal. Best effort: SIGINT to the script alone, and a second signal. Without /proc, as on macOS,',
    'SIGTERM and SIGHUP are forwarded to the process group.',
    '',
    'This script contains all values of the env fields of the workflow file, including secrets.',
    'Environment variables whose names begin with wf_ are not passed to commands.',
  ];
  const usage = [
    'usage: bash SCRIPT [KEY:VALUE ...] [--dry-run] [--yes] [-- ARGUMENT ...]',
    ...inputLines(inputs, secretNames(plan)).map((line) => `  ${shown(line)}`),
  ];
  return [
    '#!/usr/bin/env bash',
    '# shellcheck disable=SC2016',
    ...comments.map((line) => `# ${line}`.trimEnd()),
    '',
    `wf_usage() {`,
    `  printf '%s\\n' \\`,
    usage.map((line) => `    ${quote(line)}`).join(' \\\n'),
    '}',
    '',
  ].join('\n');
}
