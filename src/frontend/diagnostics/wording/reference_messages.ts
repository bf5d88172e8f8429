import { EXIT_CODE } from '../../../base/exit_code.ts';
import type { Of } from '../diagnostic.ts';
import { UNUSABLE_VALUE } from '../message_words.ts';
import { didYouMean } from '../suggest.ts';

export function foreignReference({ kind, reference, instead }: Of<'foreign reference'>): string {
  const effect = kind === 'expression' ? 'is not shell syntax, and fails' : 'is not replaced';
  const advice = instead === undefined ? 'a value comes from a variable, as "$NAME"' : `write ${instead}`;
  return `${shorten(reference)} ${effect}; ${advice}`;
}

/** The maximum number of outputs or copies of a step in a message. */
const LISTED_OUTPUTS = 8;

/** The copies of a step with a matrix, and a reference to one of them. */
function describeCopies(copies: readonly string[], key: string): string {
  const all = copies.slice(0, LISTED_OUTPUTS).map((name) => `'${name}'`);
  const more = copies.length > LISTED_OUTPUTS ? ` and ${copies.length - LISTED_OUTPUTS} more` : '';
  return `runs as ${all.join(', ')}${more}; write \${steps.${copies[0]}.${key}}`;
}

export function unresolved(reference: Of<'unresolved reference'>): string {
  const { run, key, outputs } = reference;
  if (outputs === undefined) {
    const { step, steps, isCalled, isSibling } = reference;
    if (isSibling) return `in a run of '${run}', step '${step}' runs in parallel to this one, not before it`;
    const copies = copiesOf(step, steps);
    if (copies.length > 0) return `step '${step}' has a matrix, and ${describeCopies(copies, key)}`;
    const advice = isCalled ? `; if '${run}' is only meant to be called by other workflows, make it private` : '';
    const hint = steps.has(step) ? '; a later step has it' : didYouMean(step, steps.keys(), advice);
    return `in a run of '${run}', no earlier step has this name${hint}`;
  }
  if (key === EXIT_CODE) {
    const reason = `in a run of '${run}', it could only be 0: a failure of step '${reference.step}' ends the run`;
    return `${reason}; add "allow_failure": true to the step, or use the reference in a hook`;
  }
  const step = `in a run of '${run}', the last earlier step of this name`;
  if (outputs.size === 0) return `${step} has no outputs`;
  const more = outputs.size > LISTED_OUTPUTS ? ` and ${outputs.size - LISTED_OUTPUTS} more` : '';
  const all = `; its outputs are: ${firstOf(outputs, LISTED_OUTPUTS).join(', ')}${more}`;
  return `${step} has no such output${didYouMean(key, outputs, all)}`;
}

/** The names of the copies of a step with a matrix. */
function copiesOf(step: string, steps: ReadonlyMap<string, unknown>): readonly string[] {
  const start = `${step} (`;
  const copies: string[] = [];
  for (const name of steps.keys()) if (name.startsWith(start)) copies.push(name);
  return copies;
}

/** The first values of a set. A copy of a large one for each message would take quadratic time. */
function firstOf(values: ReadonlySet<string>, count: number): readonly string[] {
  const first: string[] = [];
  for (const value of values) if (first.push(value) === count) break;
  return first;
}

export function unresolvedVariable({ field, variable, problem, known }: Of<'unresolved variable'>): string {
  const reference = `'${field}': \${vars.${variable}}`;
  if (problem === 'unset') {
    const advice = `; give it as ${variable}:VALUE, or write \${vars.${variable}:-text}`;
    return `${reference}: nothing outside of this scope sets ${variable}${didYouMean(variable, known, advice)}`;
  }
  if (problem === 'own scope') {
    const advice = `set ${variable} in an outer scope, such as the "env" of the file for that of a workflow, or give it as ${variable}:VALUE`;
    return `${reference}: values of one object do not see each other, and nothing outside of it sets ${variable}; ${advice}`;
  }
  if (problem !== 'output') return `${reference}: ${UNUSABLE_VALUE[problem]}`;
  const advice = field.startsWith('ready.') ? 'refer to it as ${steps.NAME.KEY}' : `use "$${variable}" in the command`;
  return `${reference}: the value comes from an output, which is not known before the run: ${advice}`;
}

/** A reference to an output without its text after `:-`. */
export function withoutFallback(reference: string): string {
  return reference.replace(/:-[^]*\}$/, '}');
}

/** A reference without its text after `:-`, which may be secret, and without its middle if it is long. */
export function shorten(reference: string): string {
  const shown = reference.replace(/:-[^]+?(?=\}?$)/, ':-…');
  return shown.length > 81 ? `${shown.slice(0, 60)}…${shown.slice(-19)}` : shown;
}
