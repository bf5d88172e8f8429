/*
 * Guards the start-up time without a clock: the files that a command loads, their sizes, and the modules of Node.js that
 * it loads in addition to those of every start.
 */
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as v from 'valibot';
import { COMMAND, finish, ROOT, workflowDirectory } from '../support/cli.ts';

/** Modules that child_process loads. */
const CHILD_PROCESS = ['child_process', 'dgram', 'diagnostics_channel', 'net', 'os', 'stream', 'stream/promises'];
const RUN = [...CHILD_PROCESS, 'tty', 'process', 'string_decoder', 'timers', 'timers/promises', 'async_hooks'];
/** Modules of a report, which also runs `git` and `mkfifo`. */
const REPORT = [...RUN, 'path', 'url'];

/** Command lines, the files of the bundle that they load, and the public modules of Node.js that they may load. */
const STARTS: readonly (readonly [line: string, files: readonly string[], modules: readonly string[]])[] = [
  ['--version', ['cli.cjs'], []],
  ['workflow list', ['cli.cjs', 'list.cjs'], []],
  ['list', ['cli.cjs', 'list.cjs'], []],
  ['workflow validate', ['cli.cjs', 'validate.cjs'], []],
  ['completion words -- fish cli workflow run w V', ['cli.cjs', 'complete.cjs'], []],
  ['workflow run w', ['cli.cjs', 'run.cjs'], RUN],
  ['run w -q', ['cli.cjs', 'run.cjs'], RUN],
  ['run -n w', ['cli.cjs', 'print_dry_run.cjs', 'run.cjs'], RUN],
  ['workflow run w --report r.json', ['cli.cjs', 'keep_output.cjs', 'report_file.cjs', 'run.cjs'], REPORT],
  [
    'workflow run w --report r.xml',
    ['cli.cjs', 'junit_report.cjs', 'keep_output.cjs', 'report_file.cjs', 'run.cjs'],
    REPORT,
  ],
  [
    'workflow run w --report r.html',
    ['cli.cjs', 'html_report.cjs', 'keep_output.cjs', 'report_file.cjs', 'run.cjs'],
    [...REPORT, 'crypto'],
  ],
  ['workflow run w --dry-run', ['cli.cjs', 'print_dry_run.cjs', 'run.cjs'], RUN],
];

/** Loaded before the tool, and records at exit the files and modules loaded since. */
const WATCH = `
  const before = new Set(process.moduleLoadList);
  process.on('exit', () => {
    const modules = process.moduleLoadList.filter((name) => !before.has(name));
    const files = Object.keys(require.cache).filter((file) => file !== __filename);
    require('fs').writeFileSync('loaded.json', JSON.stringify({ files, modules }));
  });`;

const Loaded = v.object({ files: v.array(v.string()), modules: v.array(v.string()) });

const PLAIN = { workflows: { w: { steps: ['true'] } } };

async function loadedBy(t: TestContext, line: string, file: object = PLAIN): Promise<v.InferOutput<typeof Loaded>> {
  const cwd = workflowDirectory(t, file);
  const watch = join(cwd, 'watch.cjs');
  writeFileSync(watch, WATCH);
  const [node, ...first] = COMMAND;
  const { code, stderr } = await finish(node, ['--require', watch, ...first, ...line.split(' ')], {
    cwd,
    env: { CLI_NO_JOURNAL: undefined },
  });
  assert.equal(code, 0, stderr);
  const { files, modules } = v.parse(Loaded, JSON.parse(readFileSync(join(cwd, 'loaded.json'), 'utf8')));
  const names = modules.filter((name) => /^NativeModule (?!internal\/)/.test(name));
  return {
    files: files.map((file) => basename(file)).toSorted(),
    modules: names.map((name) => name.replace('NativeModule ', '')),
  };
}

for (const [line, files, allowed] of STARTS) {
  test(`\`cli ${line}\` loads the files and modules that it needs, and no others`, async (t) => {
    const loaded = await loadedBy(t, line);
    assert.deepEqual(loaded.files, files);
    assert.deepEqual(
      loaded.modules.filter((name) => !allowed.includes(name)),
      [],
    );
  });
}

const STEPS = ['true'];
/** Files with fields whose checkers are a separate part, and the same names in a value. */
const RARE: readonly (readonly [field: string, file: object, files: readonly string[]])[] = [
  ['inputs', { workflows: { w: { inputs: { A: { default: 'a' } }, steps: STEPS } } }, ['rare_fields.cjs']],
  ['a matrix', { workflows: { w: { steps: [{ run: 'true', matrix: { A: ['a'] } }] } } }, ['rare_fields.cjs']],
  ['sources', { workflows: { w: { steps: [{ run: 'true', sources: ['a'] }] } } }, ['rare_fields.cjs']],
  ['an empty include', { include: {}, workflows: { w: { steps: STEPS } } }, ['rare_fields.cjs']],
  [
    'secrets',
    { secrets: { A: { command: ['true'] } }, workflows: { w: { steps: [{ run: 'true', secrets: ['A'] }] } } },
    ['reference_parser.cjs', 'secret_checkers.cjs'],
  ],
  ['the word inputs', { workflows: { w: { description: 'include inputs in a matrix', steps: STEPS } } }, []],
];

for (const [field, file, files] of RARE) {
  test(`a file with ${field} loads ${files.length === 0 ? 'no more files' : files.join(', ')}`, async (t) => {
    const loaded = await loadedBy(t, 'workflow list', file);
    assert.deepEqual(loaded.files, ['cli.cjs', 'list.cjs', ...files]);
  });
}

/**
 * The size of each part in bytes. Node.js compiles 10,000 bytes in about a millisecond. A part may grow by a tenth
 * beyond its size here.
 */
const SIZES = {
  // 1,200 bytes for the short forms of commands and flags, 300 for the help of a workflow,
  // 2,500 for resuming; 1,200 for plan and diff.
  // 700 for aliases and `--yes`.
  // 1,500 for the flags of runs on other machines, and workers.
  // 400 for diff.
  // 500 for waiting for remote runs, and cancelling them; 250 for resuming them; 200 for --checkout and --own-plans.
  // 200 for `cli runs` and for the hint of a missing run.
  // 300 for the command secrets, whose --check takes no value.
  // 300 for the command `lsp` and its flag.
  // 200 for cli status and --force.
  // 200 for the command `ui` and its flags.
  // 600 for `--no-logs`, formats at a terminal, and parameters that are written as flags.
  // 200 for the command `mcp`.
  // 300 for the place of an unknown flag, for the command that passes it on.
  // 200 for the newest run in place of a missing one, and for flags by their first letter.
  // 200 for a line of standard output that is broken at words.
  // 300 for a workflow in place of a command beside unknown flags.
  // 400 for hidden characters, which every part that prints escapes, and for reporting a bug without secrets.

  // 500 for a typed property for each flag, with which the parts that read flags become smaller.
  // 200 for the table of commands in place of a switch.
  // 100 for --output and --raw.
  // 500 for --since, the output modes, and commands of several workflows.
  'cli.cjs': 31_400,
  // 2,000 bytes for scripts and text outputs, in all parts that read files.
  // 1,500 for include and the positions of several files, in all parts that read files.
  // 200 for workflow files that must not be pipes.
  // 1,000 for hooks as objects, lists of secrets and their messages.
  // 300 for the builder of trees, which text with problems has too.
  // 900 for the fields of checks and their messages.
  // 200 for lists of secrets in the fast path of steps.
  // 300 for the inputs of a list, which are broken at words too.
  // 600 for variables with the name of a field, and for secrets in the sound steps of malformed files.
  // 300 for the lists of secrets, which the checker of texts reads itself.
  // 400 for the names of locks, in which secret variables are errors.
  // 1,800 for steps in the background, exit codes and questions with references, whose fields every file is checked for.
  'list.cjs': 55_000,
  // Checks of fields that few files have, and the shapes that they share with other checks.
  // 300 for background and ready.
  'rare_fields.cjs': 13_500,
  // 2,000 bytes for groups of steps, in all parts that read files.
  // 1,500 for files that are included several times, and for paths in which nothing is expanded.
  // 3,500 for the limit of a plan's names and values, the reader of dotenv files, and hooks of workflows.
  // 1,000 for the short forms of fields, and for the pointer to the help.
  // 500 for the fields of secrets.
  // 1,300 for the fields of checks and their ops in a plan.
  // 300 for lines that are broken at words.
  // 2,000 for variables in the place of commands.
  // 300 for the lists of secrets.
  // 400 for the names of locks, in which secret variables are errors.
  // 2,000 for steps in the background, exit codes, and questions with references.
  'validate.cjs': 65_500,
  // Only files with variables, conditions, inputs, matrices or private workflows load it.
  'lint.cjs': 13_400,
  // 9,000 bytes for references without a value, negative values, and classes in place of closures.
  // 1,500 bytes for short forms, the search for the file, and arguments after `--`.
  // 8,000 bytes for groups of steps: the compiler, branches of the interpreter and runner, several commands at a time.
  // 6,000 bytes for inputs, 17,000 for the record of the run.
  // 3,500 for questions and for steps with a matrix.
  // 700 for the variables of a step in its record.
  // 1,700 for stopping the processes of a step before it is sent a signal, also on an overloaded machine.
  // 800 for the numbers of secret values in a matrix, and for paths that nested calls share.
  // 3,500 for the entries of runs and the checks of the directory of records.
  // 300 for repeated reports and for the limit of a variable.
  // 200 for SIGQUIT, which ends the step too.
  // 6,000 for hooks of workflows, which every plan may have, and for the limit of a plan's names and values.
  // 2,500 for values without a name and for questions about inputs.
  // 2,500 for hooks as objects, and for the secrets of a plan and of the environments of its commands.
  // 400 for the builder of trees, which text with problems has too, and for parameters that no plan mentions.
  // 400 for what to type after a failure, and for the note of a page without output.
  // 500 for hints that leave secrets out, and for the commands that no condition skips.
  // 500 for the comparison with the digest of a plan.
  // 6,700 for the ops of checks, which the compiler, records and resumes know, and the runner of steps apart from the rest.
  // 2,400 for the plan in the record, which is written after the first step, when the files of the tool may be replaced.
  // 1,000 for lines that are broken at words, and for the limit of the heap of long runs.
  // 2,000 for the mask of internal errors, and for observers of which an error does not end the run.
  // 2,000 for variables in the place of commands.
  // 9,000 for stored output without a terminal, steps in the background and their stops, locks, and exit codes in plans.
  'run.cjs': 184_800,
  // 5,000 bytes for short forms and resuming.
  // 2,500 for dotenv, steps with a matrix, aliases and the default workflow.
  // 900 for the commands and flags of runs on other machines.
  // 1,600 for include, locks, checkouts and their help.
  // 2,500 for secrets: their fields with descriptions, and their place in a plan.
  // 200 for the flags of digests.
  // 300 for the command `lsp`.
  // 4,000 for the fields and ops of checks.
  // 300 for the one path of each step.
  // 300 for lists of secrets in the fast path of steps, and for a warning about arguments.
  // 500 for the command that passes unknown flags on.
  // 200 for finding steps below thousands of calls.
  // 500 for the places of fields, of which messages about a file show examples.
  // 300 for the owners of directories outside of a repository.
  // 2,000 for variables in the place of commands.
  // 7,900 for checks of a file that came later: fields of other tools, secrets in malformed files, on_resume.
  'complete.cjs': 85_500,
  // 1,500 bytes for groups of steps, 2,500 for the title of the terminal and the titles of calls.
  // 2,700 for usual times, the longest chain, and steps in the background.
  'terminal_reporter.cjs': 23_800,
  // 1,000 bytes for the last lines of failed steps, 1,000 for the titles of calls.
  // 1,300 for the combinations of copies, and for every kind of event.
  'github_reporter.cjs': 13_300,
  // Includes the colours of a terminal, 1,500 bytes for groups of steps, and inputs.
  // 1,200 for the fields of checks.
  // 200 for finding steps below thousands of calls.
  // 300 for lines that are broken at words.
  // 800 for steps in the background, locks and the usual time.
  'print_dry_run.cjs': 20_100,
  // 300 for the checks of a plan.
  // 600 for the states of steps in the background.
  'report_file.cjs': 16_200,
  // 800 for the combinations of copies.
  'junit_report.cjs': 4_400,
  // 1,500 bytes for the summary of empty runs and the filter that stays in view.
  // 1,000 for groups of steps.
  'html_report.cjs': 14_500,
  'reference_parser.cjs': 21_000,
  // Together, what only files with secrets load.
  'secret_checkers.cjs': 5_900,
  // 1,000 for the mask of values of any length, which has no pattern.
  'fetch_secrets.cjs': 8_500,
  'secret_table.cjs': 1_600,
  // The reader of JSON, for a secret at a path.
  'read_outputs.cjs': 10_100,
  // Includes the scanner of jsonc-parser, 3,000 bytes.
  'capture.cjs': 10_500,
};

for (const [file, usual] of Object.entries(SIZES)) {
  test(`the size of ${file} is at most a tenth above the recorded one`, () => {
    const { size } = statSync(join(ROOT, 'dist', file));
    const advice = 'Find the cause; if it is worth the time at start, raise the entry in SIZES and say why.';
    assert.ok(size <= usual * 1.1, `${file} has ${size} bytes, ${usual} before. ${advice}`);
  });
}
