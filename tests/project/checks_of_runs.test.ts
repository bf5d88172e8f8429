/* The messages before the first command of a run. `validate` has all checks that need nothing but the file. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../support/cli.ts';

/** Files that `validate` uses, too. */
const SHARED = new Set(['find_file.ts', 'load.ts', 'read_file.ts', 'read_found_file.ts', 'stale_schema.ts']);

/** The messages of each other file, shortened, with what `validate` does not have to find them. */
const MESSAGES: Readonly<Record<string, readonly [needs: string, ...messages: string[]]>> = {
  'src/cli/commands/run.ts': ['flags', "'--since' cannot be used with '…'"],
  'src/cli/commands/run/carry_out.ts': [
    'the programs and processes of the machine',
    'neither bash nor sh was found in PATH',
    'the output of steps could not be stored completely',
    'only the commands themselves were signalled, and w',
    'processes cannot be listed (…): …',
    'processes of this run may still be running: killin',
    'to see why: cli runs show …',
    'the run was not recorded; to run all of it again: ',
    "this runs step '…' again; if it has finished, add ",
  ],
  'src/cli/driver/questions.ts': [
    'a terminal',
    '… asks: …',
    'no question is asked where CI is set; unset it, or',
    'there is no terminal to ask at;',
    '… to answer yes, add --yes',
  ],
  'src/cli/driver/negative_values.ts': [
    'parameters and the environment; validate warns of values in the file',
    "whose value '…' (…) counts as true, because it is ",
    'tests …, …; write "if": "[ \\….…} -ne 0 ]"',
    'leave the value empty instead (…:), or declare … a',
    'tests …, …; …',
    "step …: 'if' …",
  ],
  'src/cli/driver/operands/operand_errors.ts': [
    'the words of the command line',
    'the name of the workflow comes first: … …',
    "no input of workflow '…' is left for …",
    'usage: ……',
    'to run …: …',
    "'…' is the name of an input; did you mean '…:…'?",
    '… …',
    'to give the value to the default workflow: …',
  ],
  'src/cli/driver/operands/several.ts': [
    'the words of the command line',
    "'…' stands between the names of two workflows: cli",
    "workflow '…' cannot be one of several, because its",
    "the file has a workflow of the name '…': rename it",
    '… chooses a dotenv file, which only a parameter of',
    'the … sets …, too, which only a parameter of a sin',
  ],
  'src/cli/driver/prepare_run.ts': ["the arguments after '--'", "nothing in workflow '…' mentions the arguments aft"],
  'src/cli/driver/unknown_workflow.ts': [
    'the name on the command line',
    'no workflow … in ……',
    'to list the workflows: …',
  ],
  'src/cli/driver/variables/dotenv.ts': [
    'the dotenv files of the machine',
    'cannot read …: …',
    '… is not valid UTF-8',
    'not of the form KEY=value',
    'the key is not the name of a variable that can be ',
    'the value has a quote that is not closed',
    'the value has a quote after a line separator',
    'the value contains a NUL character',
    '…: and … more problems',
  ],
  'src/cli/driver/variables/link_plan.ts': [
    'the dotenv files of the machine',
    "the dotenv file … ('…') is outside of the project",
    "'…' is a secret of the file, so its entry in … is ",
  ],
  'src/cli/driver/variables/param_warnings.ts': [
    'parameters',
    "'…' is a secret of the file; set it in the environ",
    "the parameter '…' cannot override a variable of th",
    "nothing in workflow '…' mentions the parameter",
    "; did you mean '…:…://…'?",
  ],
  'src/cli/driver/recording/select_part.ts': [
    'flags, and for a resume the record',
    "flag '--only' cannot be used with '--from' or '--u",
    "step '…' comes before step '…'",
    "workflow '…' has no step '…'; steps: …",
    "workflow '…' has several steps '…': …",
    '… runs in the background and starts by itself when',
    '--done: … neither failed nor was running when the ',
    '--done: a later step reads the outputs of …',
    'rerun but left out',
    '--rerun: … is outside of the part that runs; to be',
    'left out but read',
    '… reads an output of …, which is left out',
  ],
  'src/ir/inputs.ts': [
    'parameters and the environment',
    'the input …… is required, but has no value',
    'the input …… is required, but empty (…)',
    'one of its options',
    'one of …',
    "the input … must be …, not '…' (…)",
  ],
};

const FILES = [
  'src/cli/commands/run.ts',
  ...['ask_inputs.ts', 'carry_out.ts', 'fetch_secrets.ts'].map((file) => `src/cli/commands/run/${file}`),
  ...['', 'operands/', 'variables/', 'recording/select'].flatMap((path) => {
    const [directory = '', start = ''] = path.split(/(?<=\/)/);
    const names = readdirSync(join(ROOT, 'src/cli/driver', directory));
    const own = names.filter((name) => name.endsWith('.ts') && name.startsWith(start) && !SHARED.has(name));
    return own.map((name) => `src/cli/driver/${directory}${name}`);
  }),
  'src/cli/command_line/input_usage.ts',
  'src/ir/inputs.ts',
];

/** The texts of a source in quotes that are sentences: four words or more. */
function sentencesIn(file: string): readonly string[] {
  const source = readFileSync(join(ROOT, file), 'utf8').replaceAll(/\/\*[^]*?\*\/|^ *\/\/.*$/gm, '');
  return [...source.matchAll(/(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1/g)].flatMap(([, , text = '']) =>
    (text.match(/\w[^ ]* (?=[\w$'])/g) ?? []).length >= 3 ? [text] : [],
  );
}

test('each message before a run that validate does not have needs more than the file', () => {
  const found = FILES.flatMap((file) => {
    const sentences = sentencesIn(file).map((text) => text.replaceAll(/\$\{[^}]*\}?/g, '…').slice(0, 50));
    return sentences.length === 0 ? [] : [[file, sentences] as const];
  });
  const listed = Object.entries(MESSAGES).map(([file, [, ...messages]]) => [file, messages] as const);
  assert.deepEqual(Object.fromEntries(found), Object.fromEntries(listed));
});
