import type { WorkflowFile } from '../../../frontend/ast.ts';
import { expandedVariables, mayMention } from '../../../frontend/lint/shell_variables.ts';
import { wordsOf } from '../../../frontend/lint/undefined_variables.ts';
import { freeInputs } from '../../command_line/params.ts';
import { inputsOf } from '../../../ir/inputs.ts';
import { conditionParts, codeOf, variablesOf } from '../../../ir/ops.ts';
import type { Op, Plan } from '../../../ir/plan.ts';

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
export async function paramWarnings(plan: Plan, file: WorkflowFile): Promise<readonly string[]> {
  const unused = unusedParams(plan, file);
  if (unused === undefined) return [];
  return describeUnused(plan, unused, (await import('../../../frontend/diagnostics/suggest.ts')).didYouMean);
}

/** Parameters that a plan does not mention, those of them that are URLs without a name, and the known variables. */
type UnusedParams = Readonly<{ names: readonly string[]; schemes: ReadonlySet<string>; known: readonly string[] }>;

/** The parameters that a plan does not mention; undefined if there are none. */
export function unusedParams(plan: Plan, file: WorkflowFile): UnusedParams | undefined {
  const { params, ops } = plan;
  if (params.length === 0) return undefined;
  const names = variablesOf(plan);
  const mentioned = new Set([
    ...names,
    ...ops.flatMap(
      (op) =>
        codeOf(op)
          .replaceAll(SCHEME, '')
          .match(/[A-Za-z_][A-Za-z0-9_]*/g) ?? [],
    ),
  ]);
  const unmentioned = params.map(([name]) => name).filter((name) => !mentioned.has(name));
  if (unmentioned.length === 0) return undefined;
  const words = wordsOf(file, mayMention(unmentioned));
  const schemes = new Set(params.flatMap(([name, value]) => (value.startsWith('//') ? [name] : [])));
  const unused = unmentioned.filter((name) => !words.has(name) || schemes.has(name));
  if (unused.length === 0) return undefined;
  return { names: unused, schemes, known: [...names, ...ops.flatMap((op) => expandedIn(op))] };
}

/** A message about each parameter that a plan does not mention. */
export function describeUnused(
  plan: Plan,
  { names, schemes, known }: UnusedParams,
  didYouMean: (word: string, candidates: Iterable<string>) => string,
): readonly string[] {
  const { workflow, params, calls } = plan;
  const message = `nothing in workflow '${workflow}' mentions the parameter`;
  const inputs = calls[0] === undefined ? [] : (inputsOf(plan, calls[0]) ?? []);
  const [free] = freeInputs(
    params.map(([name]) => `${name}:`),
    inputs,
  );
  return names.map((name) => {
    // A URL without the name of its input.
    const isUrl = schemes.has(name) && free !== undefined;
    const hint = isUrl ? `; did you mean '${free.name}:${name}://…'?` : didYouMean(name, known);
    return `${message} '${name}'${hint}`;
  });
}

/** The scheme of a URL, which does not mention a variable. */
const SCHEME = /(?<![$\w{])[A-Za-z_]\w*:\/\//g;

/** The variables that an op tests or expands. */
function expandedIn(op: Op): readonly string[] {
  const variable = op.kind === 'condition' ? conditionParts(op.test).variable : undefined;
  return variable === undefined ? expandedVariables(codeOf(op)) : [variable];
}
