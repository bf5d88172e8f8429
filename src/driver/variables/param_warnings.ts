import type { WorkflowFile } from '../../frontend/ast.ts';
import { expandedVariables, mayMention } from '../../frontend/lint/shell_variables.ts';
import { wordsOf } from '../../frontend/lint/undefined_variables.ts';
import { freeInputs } from '../../command_line/name_values.ts';
import { inputsOf } from '../../ir/inputs.ts';
import { splice } from '../../ir/output_variables.ts';
import { conditionParts } from '../../ir/condition_parts.ts';
import type { Op, Plan } from '../../ir/plan.ts';

/**
 * Errors about parameters that set variables of a matrix, which would make all its combinations equal, or secrets, which
 * other users of the machine can read in a command line.
 */
export function refusedParams({ params, frames, secrets = [] }: Plan): string[] {
  return params.flatMap(([param]) => {
    if (secrets.some(({ name }) => name === param))
      return `'${param}' is a secret of the file; set it in the environment, not on the command line`;
    const frame = frames.find(({ vars, matrix }) => matrix === true && vars.some(([name]) => name === param));
    if (frame === undefined) return [];
    const where = frame.source.replace(/ \(.*/s, '');
    return `the parameter '${param}' cannot override a variable of the ${where}`;
  });
}

/**
 * Warnings about parameters that the plan does not mention, which are probably misspelt. Any word outside of references
 * counts as a mention, and so does a word without `$` in any command of the file: a missing warning is better than a
 * wrong one.
 */
export async function paramWarnings(plan: Plan, file: WorkflowFile): Promise<string[]> {
  const { workflow, params, frames, ops } = plan;
  if (params.length === 0) return [];
  const set = frames.flatMap(({ vars }) =>
    vars.flatMap(([name, , , lookups = []]) => [name, ...lookups.map((lookup) => lookup.name)]),
  );
  const names = set.concat(frames.flatMap(({ inputs = [] }) => inputs.map(({ name }) => name)));
  for (const { source } of plan.secrets ?? []) names.push(...(source?.lookups ?? []).map(({ name }) => name));
  for (const op of ops) if ('dirLookup' in op) for (const { name } of op.dirLookup?.lookups ?? []) names.push(name);
  const mentioned = new Set([
    ...names,
    ...ops.flatMap(
      (op) =>
        commandTextOf(op)
          .replaceAll(SCHEME, '')
          .match(/[A-Za-z_][A-Za-z0-9_]*/g) ?? [],
    ),
  ]);
  const unmentioned = params.map(([name]) => name).filter((name) => !mentioned.has(name));
  if (unmentioned.length === 0) return [];
  const words = wordsOf(file, mayMention(unmentioned));
  const schemes = new Set(params.flatMap(([name, value]) => (value.startsWith('//') ? [name] : [])));
  const unused = unmentioned.filter((name) => !words.has(name) || schemes.has(name));
  if (unused.length === 0) return [];
  const { didYouMean } = await import('../../frontend/diagnostics/suggest.ts');
  const message = `nothing in workflow '${workflow}' mentions the parameter`;
  const variables = [...names, ...ops.flatMap((op) => variablesOf(op))];
  const inputs = plan.calls[0] === undefined ? [] : (inputsOf(plan, plan.calls[0]) ?? []);
  const [free] = freeInputs(
    params.map(([name]) => `${name}:`),
    inputs,
  );
  return unused.map((name) => {
    // A URL without the name of its input.
    const isUrl = schemes.has(name) && free !== undefined;
    const hint = isUrl ? `; did you mean '${free.name}:${name}://…'?` : didYouMean(name, variables);
    return `${message} '${name}'${hint}`;
  });
}

/** The scheme of a URL, which does not mention a variable. */
const SCHEME = /(?<![$\w{])[A-Za-z_]\w*:\/\//g;

/** The command of an op without its references, or the variable that it tests. */
export function commandTextOf(op: Op): string {
  if (op.kind === 'parallel') return '';
  const { code, reads } = op.kind === 'condition' ? conditionParts(op.test) : { code: op.command, reads: op.reads };
  return splice(code, reads, () => ' ');
}

/** The variables that an op tests or expands. */
function variablesOf(op: Op): readonly string[] {
  const variable = op.kind === 'condition' ? conditionParts(op.test).variable : undefined;
  return variable === undefined ? expandedVariables(commandTextOf(op)) : [variable];
}
