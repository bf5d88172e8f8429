import type { ExplainedRead, ExplainedStep } from '../../ir/views/explanation.ts';
import { escapeForTerminal } from './escape.ts';

/** The steps as text. The variables of a step are omitted if the previous step has the same. */
export function* explanationText(steps: Iterable<ExplainedStep>): Generator<string> {
  let before: ExplainedStep['variables'] | undefined;
  for (const { path, workflow, step, name, command, variables, reads = [], background, ...place } of steps) {
    const { file, line, column } = place;
    const where = [...path, name].join(' > ');
    yield `${escapeForTerminal(`${where}  (step ${step} of ${workflow})`)}\n`;
    if (file !== undefined) yield `  at ${escapeForTerminal(`${file}:${line}:${column}`)}\n`;
    yield `  $ ${escapeForTerminal(command)}\n`;
    if (background !== undefined) yield `  ${escapeForTerminal(background.join('; '))}\n`;
    for (const each of reads) yield `  reads ${escapeForTerminal(readText(each))}\n`;
    if (variables.length === 0) yield '  no variables\n';
    else if (variables === before) yield '  the same variables as the step before\n';
    else yield* variables.map(variableText);
    before = variables;
  }
}

function readText({ output, name, workflow, step }: ExplainedRead): string {
  return `${output} of ${name}  (step ${step} of ${workflow})`;
}

function variableText({ name, value, source, over }: ExplainedStep['variables'][number]): string {
  const weaker = over.map((each) => `    not ${each.value}  (${each.source})`);
  return [`  ${name}=${value}  (${source})`, ...weaker].map((line) => `${escapeForTerminal(line)}\n`).join('');
}
