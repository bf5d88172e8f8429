import { didYouMean } from '../../frontend/diagnostics/suggest.ts';
import { shellWord } from '../../base/shell_word.ts';
import { explainPlan, type ExplainedStep } from '../../ir/views/explanation.ts';
import type { Plan } from '../../ir/plan.ts';
import { createRedactor, HIDDEN } from '../command_line/redact.ts';
import { print, printDocument } from '../output/document.ts';
import { explanationText } from '../output/explanation_text.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { EXIT, refuse, printStderr, type Io } from '../output/io.ts';
import { printMessages } from '../output/messages/print_messages.ts';
import { PLUS } from '../command_line/choose_workflow.ts';
import { isParam } from '../command_line/params.ts';
import { outputLines, type Rules } from '../output/paint.ts';
import { prepare, wordsOf } from '../driver/prepare_run.ts';

/** `workflow explain`: prints the variables of each step, their values and their sources. */
export async function explain(io: Io, options: Options): Promise<number> {
  const rest = options.words.slice(1);
  const [first, ...others] = rest;
  const variable = first === undefined || first === PLUS || isParam(first) ? undefined : first;
  const params = variable === undefined ? rest : others;
  const words = [...options.words.slice(0, 1), ...params];
  const prepared = await printMessages(
    io,
    options,
    prepare(io, { ...options, words }, 'explain', { line: wordsOf(options) }),
  );
  if (prepared === undefined) return EXIT.cannotStart;
  const { workflow: name } = prepared.plan;
  const redact = createRedactor(wordsOf(options));
  const suggest = (word: string, known: readonly string[]): string =>
    redact(word) === HIDDEN ? '' : didYouMean(word, known);
  const { step } = options;
  // The steps are explained one at a time: together they can be far larger than the file.
  const steps = { [Symbol.iterator]: () => explainPlan(prepared.plan, { variable, step }, io.env, prepared.position) };
  if (step !== undefined && isEmpty(steps)) {
    return refuse(io, [
      `no step ${redact(step)} in workflow '${name}'${suggest(step, namesOf(prepared.plan).steps)}`,
      `to list the steps: cli run ${shellWord(name)} --dry-run`,
    ]);
  }
  if (variable !== undefined && setsNothing(steps)) {
    const { variables } = namesOf(prepared.plan);
    // The variable may exist in other steps.
    const hint = variables.includes(variable) ? '' : suggest(variable, variables);
    printStderr(io, [`nothing sets ${redact(variable)} for these steps${hint}`], 'cli: ');
  }
  const exit = prepared.hasInputs ? EXIT.ok : EXIT.cannotStart;
  if (options.format === 'json') return printDocument(io, { workflow: name, steps }, options, exit);
  return print(io, outputLines(io, linesOf(explanationText(steps)), EXPLAIN_RULES), exit);
}

/** The colours of the text: names of steps, sources, and overridden values. */
const EXPLAIN_RULES: Rules = [
  [/^\S.*?(?= {2}\(step \d.* of )/, 'bold'],
  [/^ {4}not .*$/, 'faint'],
  [/ {2}\([^()]*\)$/, 'faint'],
];

function* linesOf(texts: Iterable<string>): Generator<string> {
  for (const text of texts) yield* text.slice(0, -1).split('\n');
}

function isEmpty(steps: Iterable<ExplainedStep>): boolean {
  for (const _ of steps) return false;
  return true;
}

function setsNothing(steps: Iterable<ExplainedStep>): boolean {
  for (const { variables } of steps) if (variables.length > 0) return false;
  return true;
}

/** The names of steps and variables in a plan, for suggestions. */
function namesOf({ ops, frames, params }: Plan): { steps: string[]; variables: string[] } {
  const set = [...params, ...frames.flatMap(({ vars }) => vars)].map(([name]) => name);
  const inputs = frames.flatMap((frame) => (frame.inputs ?? []).map(({ name }) => name));
  return { steps: ops.flatMap((op) => (op.kind === 'run' ? op.name : [])), variables: [...set, ...inputs] };
}
