import type { WorkflowFile } from '../ast.ts';
import type { Warn } from '../diagnostics/diagnostic.ts';
import { rangeAt } from '../syntax/source_range.ts';
import { scanTemplates, type Template } from '../syntax/template_scanner.ts';
import type { LintedRun } from './linted_run.ts';
import { commandsOf, setVariables } from './scopes.ts';

/** Contexts of GitHub Actions whose entries are variables here. */
const VARIABLE_CONTEXT = /^(?:env|vars|secrets|inputs|matrix|github\.event\.inputs)\.([A-Za-z_][\w-]*)$/;
/** Contexts of which the runner of GitHub Actions puts entries into the environment. */
const RUNNER_CONTEXT = /^(github|runner)\.([a-z_]+)$/;
const STEP_OUTPUT = /^steps\.([\w-]+)\.outputs\.([\w-]+)$/;

/** The name of a variable, as go-task (`.NAME`) and just write it. */
const NAME = /^(\.?)([A-Za-z_][\w-]*)$/;
/** Variables that only go-task has, and functions that only just has. */
const ONLY_FOREIGN = /^(?:\.(?:TASK|ROOT_DIR|TASKFILE_DIR|TASK_VERSION)|(?:env_var\w*|justfile\w*|just_\w+)\(.*\))$/;
/** Their names of the directory in which they were started. */
const CALLER = /^(?:\.USER_WORKING_DIR|invocation_dir(?:ectory)?\w*\(\))$/;
const FUNCTION = /^[a-z_]+\(.*\)$/;

/** Commands to which a template may be an argument. */
const TAKES_TEMPLATES =
  /(?:^|[\s;|&("'])(?:-f|-T|-o|--?format|--?template|--output)(?![\w-])|\b(?:sed|perl|awk|grep|egrep|rg|ag|python3?|node|ruby|jq|yq|ansible\S*|helm|gomplate|consul-template|envsubst|mustache|jinja2?|j2|cookiecutter)\b/;
/** The beginning of a template that is the value of an option. */
const OPTION_VALUE = /(?:^|\s)--?[A-Za-z][\w-]*[= ]["']?$/;

/**
 * Warns of references in the syntax of GitHub Actions, go-task or just, which the shell gets as text. `${{ … }}` is never
 * valid in a command. `{{ … }}` may be an argument of a program, so it is reported only if no program could take it: its
 * name is a variable of the file, or its form is that of one tool.
 */
export function findForeignReferences(file: WorkflowFile, run: LintedRun | undefined, warn: Warn): void {
  let known: ReadonlyMap<string, string> | undefined;
  for (const [command, owner] of commandsOf(file)) {
    const { text } = command;
    if (!text.includes('{{')) continue;
    known ??= knownNames(file, run);
    const reported = new Set<string>();
    for (const found of scanTemplates(text)) {
      if (found.kind !== 'expression' && found.kind !== 'template') continue;
      const reference = text.slice(found.start, found.end);
      const name = found.kind === 'expression' ? variableIn(reference.slice(3, -2)) : templateName(text, found, known);
      if (name === undefined || reported.has(reference)) continue;
      reported.add(reference);
      const instead = name === '' ? undefined : expansion(name, text, found);
      warn({ code: 'foreign reference', kind: found.kind, reference, instead }, owner, rangeAt(command, found.start));
    }
  }
}

/** The variables of a file and of a run, by their names in lower case. */
function knownNames(file: WorkflowFile, run: LintedRun | undefined): ReadonlyMap<string, string> {
  const names = [...(run?.params.keys() ?? []), ...setVariables(file)];
  return new Map(names.flatMap((name) => [[name.toLowerCase(), name] as const, [name, name] as const]));
}

/** The expansion without `$` for an expression of GitHub Actions; empty if there is none. */
function variableIn(expression: string): string {
  const text = expression.trim();
  const [, step, key] = STEP_OUTPUT.exec(text) ?? [];
  if (step !== undefined) return `{steps.${step}.${key}}`;
  const [, context = '', entry = ''] = RUNNER_CONTEXT.exec(text) ?? [];
  if (context !== '') return `${context}_${entry}`.toUpperCase();
  return shellName(VARIABLE_CONTEXT.exec(text)?.[1] ?? '');
}

/** The same for a template of go-task or just; undefined if it may be meant for a program. */
function templateName(text: string, found: Template, known: ReadonlyMap<string, string>): string | undefined {
  const written = text.slice(found.start + 2, found.end - 2);
  const inner = written.trim();
  const [, dot, name = ''] = NAME.exec(inner) ?? [];
  if (inner === '.CLI_ARGS') return found.isQuoted ? '*' : '@';
  if (CALLER.test(inner)) return 'CLI_CALLER_DIR';
  if (ONLY_FOREIGN.test(inner)) return '';
  // The shell would make several words of it, or refuse it.
  if (!found.isQuoted && FUNCTION.test(inner)) return '';
  if (name === '') return undefined;
  const isSplit = !found.isQuoted && written !== inner;
  const variable = known.get(dot === '.' ? name : shellName(name).toLowerCase()) ?? (isSplit ? shellName(name) : '');
  if (variable === '' || mentionsVariable(text, variable)) return undefined;
  if (!isSplit && (TAKES_TEMPLATES.test(text) || OPTION_VALUE.test(text.slice(0, found.start)))) return undefined;
  return variable;
}

/** Whether a command expands a variable. */
function mentionsVariable(text: string, variable: string): boolean {
  for (const [, name] of text.matchAll(/\$\{?(\w+)/g)) if (name === variable) return true;
  return false;
}

function shellName(name: string): string {
  return name.replaceAll('-', '_');
}

/** The expansion of a variable at the place of a template. */
function expansion(name: string, text: string, { end, isQuoted }: Template): string {
  if (!isQuoted) return `"$${name}"`;
  return /^[A-Za-z_]/.test(name) && /^[\w[]/.test(text.slice(end)) ? `\${${name}}` : `$${name}`;
}
