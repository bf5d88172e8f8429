import { redactPath } from '../../command_line/redact.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { readAny } from '../../driver/read_file.ts';
import { changedLines, type ChangedLine } from '../../../ir/compare/plan_lines.ts';
import { PLAN_FORMAT, type Plan } from '../../../ir/plan.ts';
import { planFile, readPlanHeader } from '../../../ir/views/plan_file.ts';
import { print, printDocument } from '../../output/document.ts';
import { escapeForTerminal } from '../../output/escape.ts';
import { EXIT, refuse, printStderr, type Io } from '../../output/io.ts';
import { outputLines, type Rules } from '../../output/paint.ts';
import { shellWord } from '../../../base/shell_word.ts';
import { makePlan, planEntry } from './make_plan.ts';

/** The colours of a comparison. */
const CHECK_RULES: Rules = [
  [/^ {2}- .*$/, 'red'],
  [/^ {2}\+ .*$/, 'green'],
];

/** Lines of the largest plan file that can be read: a plan has at most 100,000 operations, and a file 16 MiB. */
const LINE_LIMIT = 1_000_000;

/** `workflow plan --check`: compares a plan file with the current plan. */
export async function checkPlan(io: Io, options: Options): Promise<number> {
  const path = options.check ?? '';
  if (options.words.length > 0) {
    return refuse(io, ["with '--check', the plan file names the workflow and the parameters"]);
  }
  if (path === '-' && options.file === '-') {
    return refuse(io, ["'--check' and '--file' cannot both read standard input"]);
  }
  // Read first: the search for the workflow file may change the directory.
  const read = readAny(path, io.stdin);
  const shown = path === '-' ? '<stdin>' : redactPath(path);
  if (!read.ok) return refuse(io, [`cannot read ${shown}: ${read.problems.join('; ')}`]);
  const [first = '', ...lines] = read.value
    .toString('utf8')
    .replace(/\r?\n$/, '')
    .split(/\r?\n/);
  const header = lines.length > LINE_LIMIT ? undefined : readPlanHeader(first);
  if (header === undefined) {
    return refuse(io, [`${shown} is not a plan file`, 'to write one: cli plan <name> > <file>']);
  }
  const source = options.isFileNamed ? ['--file', options.file] : [];
  const command = ['cli', 'plan', ...header.words, ...source].map(shellWord).join(' ');
  const rewrite = `${command} > ${path === '-' ? '<file>' : shellWord(path)}`;
  if (header.format > PLAN_FORMAT) {
    const problem = `${shown} is a plan of format ${header.format}; this version of cli has format ${PLAN_FORMAT}`;
    return refuse(io, [problem]);
  }
  const made = await makePlan(io, options, header.words);
  if (made === undefined) return EXIT.cannotStart;
  const [, ...now] = planFile(made);
  const changes = changedLines(lines, now.map(escapeForTerminal));
  const exit = changes.length === 0 ? EXIT.ok : EXIT.no;
  const code =
    options.format === 'text'
      ? print(io, outputLines(io, comparison(made, changes), CHECK_RULES), exit)
      : printDocument(io, { ...planEntry(made), same: changes.length === 0, changes }, options, exit);
  if (changes.length > 0) printStderr(io, [`to accept the changes: ${rewrite}`], 'cli: ');
  return code;
}

function* comparison({ workflow }: Plan, changes: readonly ChangedLine[]): Generator<string> {
  yield `the plan of workflow '${workflow}' ${changes.length === 0 ? 'has not changed' : 'has changed:'}`;
  let [lastSection, lastEntry]: (string | undefined)[] = [];
  for (const { change, section, entry, line } of changes) {
    if (section !== lastSection) yield section;
    // The heading of an entry whose own line has not changed.
    if (entry !== undefined && entry !== lastEntry) yield `    ${entry}`;
    yield `  ${change === 'removed' ? '-' : '+'} ${entry === undefined ? '' : '    '}${line}`;
    [lastSection, lastEntry] = [section, entry ?? line];
  }
}
