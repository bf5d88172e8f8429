import type { SourceText, WorkflowFile } from '../ast.ts';
import type { Owner, Warn } from '../diagnostics/diagnostic.ts';
import { isCommonlySet } from './common_variables.ts';
import type { LintedRun } from './linted_run.ts';
import { FILE, scopesOf, stepsOf } from './scopes.ts';
import { shellVariables, type ShellVariables } from './shell_variables.ts';

type Command = Readonly<{ text: SourceText; owner: Owner }> & ShellVariables;

/**
 * Warns of variables that commands use but nothing sets, once each. A variable that a condition, a description or a
 * command mentions in another way is taken to come from outside.
 */
export function findUndefinedVariables(
  file: WorkflowFile,
  run: LintedRun | undefined,
  conditions: readonly string[],
  warn: Warn,
): void {
  const commands = commandsOf(file);
  const set = new Set<string>();
  for (const [, variables] of scopesOf(file)) for (const name of variables.keys()) set.add(name);
  const mentioned = new Set([...conditions, ...descriptionsOf(file)].flatMap(namesIn));
  for (const { expected } of commands) for (const name of expected) mentioned.add(name);
  const isKnown = (name: string): boolean =>
    set.has(name) ||
    mentioned.has(name) ||
    isCommonlySet(name) ||
    run?.params.has(name) === true ||
    run?.inherits(name) === true;
  for (const { text, owner, read } of commands) {
    for (const variable of read) {
      if (!isKnown(variable)) warn({ code: 'undefined variable', variable, known: set }, owner, text.range);
    }
  }
}

/** The commands of hooks and steps. */
function commandsOf(file: WorkflowFile): readonly Command[] {
  const hooks = [file.beforeAll, file.afterAll, file.error, file.finally].map((text) => [text, FILE] as const);
  const steps = stepsOf(file).map(([step, owner]) => [step.kind === 'run' ? step.command : undefined, owner] as const);
  return [...hooks, ...steps].flatMap(([text, owner]) => {
    return text === undefined ? [] : [{ text, owner, ...shellVariables(text.text) }];
  });
}

function descriptionsOf({ workflows }: WorkflowFile): readonly string[] {
  return [...workflows.values()].map(({ description }) => description);
}

function namesIn(text: string): readonly string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}
