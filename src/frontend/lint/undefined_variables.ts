import type { SourceText, WorkflowFile } from '../ast.ts';
import type { Owner, Warn } from '../diagnostics/diagnostic.ts';
import { isCommonlySet } from './common_variables.ts';
import type { LintedRun } from './linted_run.ts';
import { FILE, scopesOf, stepsOf } from './scopes.ts';
import { bareWords, shellVariables, type ShellVariables } from './shell_variables.ts';

type Command = Readonly<{ text: SourceText; owner: Owner; variables: ShellVariables }>;

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
  for (const { variables } of commands) for (const name of variables.expected) mentioned.add(name);
  /** Rarely needed. */
  let words: ReadonlySet<string> | undefined;
  const isKnown = (name: string): boolean =>
    set.has(name) ||
    mentioned.has(name) ||
    isCommonlySet(name) ||
    run?.params.has(name) === true ||
    run?.inherits(name) === true ||
    (words ??= wordsOf(file)).has(name);
  for (const { text, owner, variables } of commands) {
    for (const variable of variables.read) {
      if (!isKnown(variable)) warn({ code: 'undefined variable', variable, known: set }, owner, text.range);
    }
  }
}

function commandsOf(file: WorkflowFile): readonly Command[] {
  return commandTextsOf(file).map(([text, owner]) => ({ text, owner, variables: shellVariables(text.text) }));
}

/** The commands of hooks and steps. */
function commandTextsOf(file: WorkflowFile): (readonly [SourceText, Owner])[] {
  const hooks = [file.beforeAll, file.afterAll, file.error, file.finally].map((text) => [text, FILE] as const);
  const steps = stepsOf(file).map(([step, owner]) => [step.kind === 'run' ? step.command : undefined, owner] as const);
  return [...hooks, ...steps].flatMap(([text, owner]) => (text === undefined ? [] : [[text, owner] as const]));
}

/** The words of all commands, which may be names: `for key in APP_ID VERSION`. */
function wordsOf(file: WorkflowFile): ReadonlySet<string> {
  const words = new Set<string>();
  for (const [text] of commandTextsOf(file)) for (const word of bareWords(text.text)) words.add(word);
  return words;
}

function descriptionsOf({ workflows }: WorkflowFile): readonly string[] {
  return [...workflows.values()].map(({ description }) => description);
}

function namesIn(text: string): readonly string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}
