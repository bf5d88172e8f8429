import { quote } from 'shell-quote';
import { tooLarge } from '../frontend/message.ts';
import { nearest } from '../frontend/nearest.ts';
import { compile } from '../ir/compile.ts';
import type { Plan, Variable } from '../ir/plan.ts';
import { operationsText, OPERATION_LIMIT } from '../ir/size.ts';
import { usedVariables } from '../ir/usage.ts';
import { echo } from './echo.ts';
import { say, type Io } from './io.ts';
import { load, sayFindings } from './load.ts';
import { DEFAULT_FILE } from './table.ts';

/**
 * Everything that has to be right before the first command: the file, the workflow, the plan.
 * Undefined if anything is not; it has been said then. Keeps nothing of the file but the plan.
 */
export function prepare(
  io: Io,
  path: string,
  workflow: string,
  params: readonly Variable[],
): Plan | undefined {
  const loaded = load(io, path);
  if (loaded === undefined) return undefined;
  sayFindings(io, loaded);
  if (loaded.kind !== 'valid') return undefined;
  const { workflows } = loaded.file;
  if (!workflows.has(workflow)) {
    const hint = didYouMean(workflow, workflows.keys());
    const list = [
      'cli',
      'workflow',
      'list',
      '--all',
      ...(path === DEFAULT_FILE ? [] : ['--file', path]),
    ];
    say(io, [`cli: no workflow ${echo(workflow)} in ${loaded.source.path}${hint}`]);
    say(io, [`cli: to see the names: ${quote(list)}`]);
    return undefined;
  }
  const compiled = compile(loaded.file, workflow, params);
  if (!compiled.ok) {
    const sentence = tooLarge(operationsText(compiled.operations), OPERATION_LIMIT);
    say(io, [`cli: workflow '${workflow}': ${sentence}`]);
    return undefined;
  }
  if (params.length > 0) say(io, unusedParams(compiled.plan));
  return compiled.plan;
}

/** A parameter that nothing in the plan mentions is likely misspelt. */
function unusedParams(plan: Plan): string[] {
  const used = usedVariables(plan);
  return plan.params
    .filter(([name]) => !used.has(name))
    .map(([name]) => {
      const sentence = `nothing in workflow '${plan.workflow}' mentions the parameter '${name}'`;
      return `cli: warning: ${sentence}${didYouMean(name, used)}`;
    });
}

function didYouMean(word: string, candidates: Iterable<string>): string {
  const suggestion = nearest(word, candidates);
  return suggestion === undefined ? '' : `; did you mean '${suggestion}'?`;
}
