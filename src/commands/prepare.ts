import { drawErrors, drawWarnings } from '../frontend/draw.ts';
import { nearest } from '../frontend/nearest.ts';
import { compile } from '../ir/compile.ts';
import type { Plan, Variable } from '../ir/plan.ts';
import { operationsText, OPERATION_LIMIT } from '../ir/size.ts';
import { usedVariables } from '../ir/usage.ts';
import { quote } from 'shell-quote';
import { echo } from './echo.ts';
import { say, type Io } from './io.ts';
import { load, type Loaded } from './load.ts';
import { DEFAULT_FILE } from './table.ts';

/** What to make a plan of. */
export interface Asked {
  readonly file: string;
  readonly workflow: string;
  readonly params: readonly Variable[];
}

/**
 * Everything that has to be right before the first command: the file, the workflow, the plan.
 * Undefined if anything is not; it has been said then. Keeps nothing of the file but the plan.
 */
export function prepare(io: Io, asked: Asked): Plan | undefined {
  const loaded = load(io, asked.file);
  if (loaded === undefined) return undefined;
  const { parsed, drawing } = loaded;
  say(io, drawWarnings(parsed.warnings, drawing));
  if (parsed.kind !== 'valid') {
    say(io, drawErrors(parsed.errors, drawing));
    return undefined;
  }
  if (!parsed.file.workflows.has(asked.workflow)) {
    say(io, notFound(asked, loaded, parsed.file.workflows.keys()));
    return undefined;
  }
  const compiled = compile(parsed.file, asked.workflow, asked.params);
  if (!compiled.ok) {
    const operations = operationsText(compiled.operations);
    const sentence = `calls expand to ${operations} operations; the limit is ${OPERATION_LIMIT}`;
    say(io, [`cli: workflow '${asked.workflow}': ${sentence}`]);
    return undefined;
  }
  say(io, unusedParams(compiled.plan));
  return compiled.plan;
}

function notFound({ file, workflow }: Asked, loaded: Loaded, names: Iterable<string>): string[] {
  const suggestion = nearest(workflow, names);
  const hint = suggestion === undefined ? '' : `; did you mean '${suggestion}'?`;
  const flag = file === DEFAULT_FILE ? [] : ['--file', file];
  return [
    `cli: no workflow ${echo(workflow)} in ${loaded.drawing.path}${hint}`,
    `cli: 'cli workflow list --all' shows the names: ${quote(['cli', 'workflow', 'list', '--all', ...flag])}`,
  ];
}

/** A parameter that nothing in the plan mentions is likely misspelt. */
function unusedParams(plan: Plan): string[] {
  if (plan.params.length === 0) return [];
  const used = usedVariables(plan);
  return plan.params.flatMap(([name]) => {
    if (used.has(name)) return [];
    const suggestion = nearest(name, used);
    const hint = suggestion === undefined ? '' : `; did you mean '${suggestion}'?`;
    return [
      `cli: warning: nothing in workflow '${plan.workflow}' mentions the parameter '${name}'${hint}`,
    ];
  });
}
