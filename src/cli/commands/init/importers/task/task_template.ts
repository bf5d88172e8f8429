import { ExpansionLimit } from '../expansion_limit.ts';
import { CALLER_DIRECTORY, CALLER_REFERENCE } from '../../../../../base/caller_reference.ts';
import { attempt, fail, LeftOut, type ImportedStep, type ImportedVariables } from '../../imported.ts';
import { allArguments, DEFAULT_TEXT, fixedText, inserted, shellText, type TemplatePart } from '../../shell_template.ts';
import { programsRead } from '../../programs_read.ts';
import type { ImportedUses } from '../../imported_uses.ts';
import type { TaskFields } from './task_fields.ts';

const TEMPLATE = /\{\{-?\s*(.*?)\s*-?\}\}/gs;
const VARIABLE = /^\.([A-Za-z_]\w*)$/;
/** `.NAME | default "text"` or `default "text" .NAME`, with text that can stand in `${NAME:-text}`. */
const DEFAULT = /^\.([A-Za-z_]\w*)\s*\|\s*default\s+["']([\w ./:@%+,=-]*)["']$/;
const DEFAULT_FIRST = /^default\s+["']([\w ./:@%+,=-]*)["']\s+\.([A-Za-z_]\w*)$/;

/** The directory in which go-task was started. */
const CALLER = 'USER_WORKING_DIR';

/** Variables that go-task sets, without a counterpart. */
const SPECIAL =
  /^(?:ROOT_DIR|ROOT_TASKFILE|TASKFILE|TASKFILE_DIR|TASK_DIR|CHECKSUM|TIMESTAMP|TASK_VERSION|TASK_EXE|ITEM|KEY|MATCH|EXIT_CODE|ALIAS|CLI_\w+)$/;

/**
 * A variable of a Taskfile: a value that no call changes, the default of a variable that calls and parameters set, a
 * value that a command prints, or the reason why the variable was left out. `uses` are the computed variables in the
 * command; `dir` is its directory if a task may have another one.
 */
export type TaskVariable =
  | Readonly<{ kind: 'fixed' | 'open' | 'unknown'; text: string }>
  | Readonly<{ kind: 'computed'; run: string; uses: readonly string[]; dir: string | undefined }>;

/**
 * What a template can refer to. `used` collects the computed variables that a template uses, `expanded` the fixed ones.
 * `isText`: whether a fixed value has to be written as text. `missing`: a part of the file that may set other variables.
 */
export type TaskScope = Readonly<{
  file: TaskFields;
  task: string;
  variables: ReadonlyMap<string, TaskVariable>;
  used: Set<string>;
  expanded: Map<string, string>;
  expansions: ExpansionLimit;
  uses: ImportedUses;
  isText: (name: string) => boolean;
  missing: string | undefined;
}>;

/** A variable whose value is the output of a command. */
export function computedVariable(command: string, scope: TaskScope, dir: string | undefined): TaskVariable {
  const used = new Set<string>();
  const run = commandText(command.trimEnd(), { ...scope, used });
  if (/\$[@*]/.test(run)) throw new LeftOut('its command uses {{.CLI_ARGS}}');
  return { kind: 'computed', run, uses: [...used], dir };
}

/** The command of a template. */
export function commandText(text: string, scope: TaskScope): string {
  return shellText(templateParts(text, scope), scope.expanded, scope.uses.note);
}

/** A step that reads the computed variables of its templates from the steps that compute them. */
export function readingComputed(scope: TaskScope, convert: (scope: TaskScope) => ImportedStep): ImportedStep {
  const used = new Set<string>();
  const step = convert({ ...scope, used });
  for (const name of used) scope.used.add(name);
  return used.size === 0 || !('run' in step) ? step : { ...step, with: valuesOf([...used]) };
}

/**
 * The steps that compute the used variables of a scope, in the order of their dependencies. `hasDirectory`: the task has a
 * directory of its own.
 */
export function computingSteps({ variables, used }: TaskScope, hasDirectory: boolean): ImportedStep[] {
  const steps = new Map<string, ImportedStep>();
  const depth = new ExpansionLimit();
  const add = (name: string): void => {
    if (steps.has(name)) return;
    const variable = variables.get(name);
    // The task may give a value to a variable that the command of another one uses.
    const { run, uses, dir } = variable?.kind === 'computed' ? variable : { run: '', uses: [], dir: undefined };
    for (const each of uses) depth.nested(() => add(each));
    const values = uses.length === 0 ? {} : { with: valuesOf(uses) };
    const own = hasDirectory && dir !== undefined ? { dir } : {};
    steps.set(name, { name, run, ...values, outputs: new Map([[name, 'text']]), ...own });
  };
  for (const name of used) add(name);
  return [...steps.values()];
}

function valuesOf(names: readonly string[]): ImportedVariables {
  return new Map(names.map((name) => [name, outputOf(name)]));
}

function outputOf(name: string): string {
  return `\${steps.${name}.${name}}`;
}

/** The parts of a command, split at `{{…}}`. */
function templateParts(text: string, scope: TaskScope): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const { 0: found, 1: expression = '', index } of text.matchAll(TEMPLATE)) {
    parts.push(text.slice(end, index), ...scope.expansions.counted([part(expression, scope)]));
    end = index + found.length;
  }
  return [...parts, text.slice(end)];
}

function part(expression: string, scope: TaskScope): TemplatePart {
  const { name, fallback } = variableIn(expression);
  if (name === '') throw new LeftOut(`{{${expression}}} has no counterpart`);
  const variable = scope.variables.get(name);
  if (variable?.kind === 'unknown') fail(`it uses the variable '${name}', which is left out: ${variable.text}`);
  if (variable?.kind === 'computed') {
    scope.used.add(name);
    return { expansion: `\${${name}}` };
  }
  if (name === 'TASK') return scope.task;
  if (name === 'CLI_ARGS') return allArguments(fallback ?? '');
  if (name === CALLER) return { expansion: `\${${CALLER_DIRECTORY}}` };
  if (SPECIAL.test(name)) throw new LeftOut(`{{.${name}}} has no counterpart`);
  if (variable?.kind === 'fixed') {
    return programsRead(name) || scope.isText(name) ? variable.text : inserted(name, variable.text);
  }
  const open = fallback ?? variable?.text;
  if (open === undefined && scope.missing !== undefined) {
    throw new LeftOut(`it uses the variable '${name}', which ${scope.missing} may set`);
  }
  return { expansion: `\${${name}:-${open ?? ''}}` };
}

/** The value of a variable, with other variables replaced by their fixed values. */
export function constantValue(value: unknown, scope: TaskScope): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') throw new LeftOut('its value is computed');
  return fixedText(templateParts(value, scope)) ?? fail(`${value} has no fixed value`);
}

/** The default of a variable that is `{{.NAME | default "text"}}`; undefined for any other value. */
export function ownDefault(name: string, value: unknown): string | undefined {
  const found = typeof value === 'string' ? /^\{\{-?\s*(.*?)\s*-?\}\}$/s.exec(value) : null;
  const { name: used, fallback = '' } = variableIn(found?.[1] ?? '');
  return used === name ? fallback : undefined;
}

/** The value of a variable of `env` or of a call, which may hold variables as `${vars.NAME}`. */
export function callValue(value: unknown, scope: TaskScope): string {
  const fixed = attempt(() => constantValue(value, scope));
  if (!(fixed instanceof LeftOut)) return fixed.includes('$') ? fail('its value has a $') : fixed;
  if (typeof value !== 'string') throw fixed;
  const parts = value.split(TEMPLATE).map((text, index) => {
    // Odd parts are the expressions that the pattern captures.
    if (index % 2 === 0) return text.includes('$') ? fail('its value has a $') : text;
    const found = part(text, scope);
    const { name, fallback } = variableIn(text);
    const variable = scope.variables.get(name);
    if (variable?.kind === 'computed') return outputOf(name);
    if (name === CALLER) return CALLER_REFERENCE;
    if (typeof found === 'string' || found.text !== undefined) return constantValue(`{{${text}}}`, scope);
    if (found.unquoted !== undefined) return fail('it passes {{.CLI_ARGS}} on');
    const plain = fallback ?? variable?.text ?? '';
    return DEFAULT_TEXT.test(plain) ? `\${vars.${name}:-${plain}}` : fail('its default has a meaning for the shell');
  });
  return parts.join('');
}

/** Whether a directory is that of the caller, or inside of it. */
export function startsAtCaller(dir: unknown): boolean {
  return typeof dir === 'string' && /^\{\{-?\s*\.USER_WORKING_DIR\s*-?\}\}(?:\/|$)/.test(dir);
}

/** The default of a variable that a task sets to `{{.NAME | default "text"}}`: what the file sets comes first. */
export function openDefault(name: string, own: string, { variables }: TaskScope): string {
  const variable = variables.get(name);
  if (variable === undefined || variable.kind === 'open') return own;
  const isPlain = variable.kind === 'fixed' && DEFAULT_TEXT.test(variable.text);
  if (!isPlain) throw new LeftOut('the file sets it to another value');
  return variable.text === '' ? own : variable.text;
}

/** The variable of an expression, and its fallback. The name is empty for any other expression. */
function variableIn(expression: string): Readonly<{ name: string; fallback?: string | undefined }> {
  const [, first, firstName] = DEFAULT_FIRST.exec(expression) ?? [];
  if (firstName !== undefined) return { name: firstName, fallback: first };
  const [, name = '', fallback] = DEFAULT.exec(expression) ?? VARIABLE.exec(expression) ?? [];
  return { name, fallback };
}
