import { ExpansionLimit } from '../expansion_limit.ts';
import { CALLER_DIRECTORY, CALLER_REFERENCE } from '../../../../../base/caller_reference.ts';
import { attempt, fail, LeftOut, type ImportedStep, type ImportedVariables } from '../../imported.ts';
import { DEFAULT_TEXT, fixedText, inserted, shellText, type TemplatePart } from '../../shell_template.ts';
import { programsRead } from '../../programs_read.ts';
import type { ImportedUses } from '../../imported_uses.ts';

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
 * A variable whose value a command prints, and the computed variables that the command uses. `dir` is the directory of the
 * command if a task may have another one.
 */
export type ComputedVariable = Readonly<{ run: string; uses: readonly string[]; dir?: string | undefined }>;

/**
 * The variables of a template. `fixed` contains values that no call changes, `open` the defaults of variables that calls
 * and parameters set, `computed` the variables whose values are printed by commands, and `unknown` the reasons why
 * variables were left out. `used` collects the computed variables that a template uses, `expanded` the fixed ones.
 * `isText`: whether a fixed value has to be written as text. `missing`: a part of the file that may set other variables.
 */
export type TaskScope = Readonly<{ task: string; fixed: ImportedVariables; open: ImportedVariables }> &
  Readonly<{
    unknown: ReadonlyMap<string, string>;
    computed: ReadonlyMap<string, ComputedVariable>;
    used: Set<string>;
  }> &
  Readonly<{
    expanded: Map<string, string>;
    expansions: ExpansionLimit;
    uses: ImportedUses;
    isText: (name: string) => boolean;
    missing?: string | undefined;
  }>;

/** A variable whose value is the output of a command. */
export function computedVariable(command: string, scope: TaskScope): ComputedVariable {
  const used = new Set<string>();
  const run = commandText(command.trimEnd(), { ...scope, used });
  if (/\$[@*]/.test(run)) throw new LeftOut('its command uses {{.CLI_ARGS}}');
  return { run, uses: [...used] };
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
export function computingSteps({ computed, used }: TaskScope, hasDirectory: boolean): ImportedStep[] {
  const names = new Set<string>();
  const depth = new ExpansionLimit();
  const add = (name: string): void => {
    if (names.has(name)) return;
    for (const each of computed.get(name)?.uses ?? []) depth.nested(() => add(each));
    names.add(name);
  };
  for (const name of used) add(name);
  return [...names].map((name) => {
    const { run = '', uses = [], dir } = computed.get(name) ?? {};
    const outputs = new Map([[name, 'text']]);
    const step = uses.length === 0 ? { name, run, outputs } : { name, run, with: valuesOf(uses), outputs };
    return hasDirectory && dir !== undefined ? Object.assign(step, { dir }) : step;
  });
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
  const reason = scope.unknown.get(name);
  if (reason !== undefined) throw new LeftOut(`it uses the variable '${name}', which is left out: ${reason}`);
  if (scope.computed.has(name)) {
    scope.used.add(name);
    return { expansion: `\${${name}}` };
  }
  if (name === 'TASK') return scope.task;
  if (name === 'CLI_ARGS') return argumentsPart(fallback ?? '');
  if (name === CALLER) return { expansion: `\${${CALLER_DIRECTORY}}` };
  if (SPECIAL.test(name)) throw new LeftOut(`{{.${name}}} has no counterpart`);
  const value = scope.fixed.get(name);
  if (value !== undefined) return programsRead(name) || scope.isText(name) ? value : inserted(name, value);
  const open = fallback ?? scope.open.get(name);
  if (open === undefined && scope.missing !== undefined) {
    throw new LeftOut(`it uses the variable '${name}', which ${scope.missing} may set`);
  }
  return { expansion: `\${${name}:-${open ?? ''}}` };
}

/** The arguments of a run. */
function argumentsPart(fallback: string): TemplatePart {
  if (fallback === '') return { expansion: '$*', unquoted: '"$@"' };
  return { expansion: `\${*:-${fallback}}`, unquoted: `\${@:-${fallback}}` };
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
    if (scope.computed.has(name)) return outputOf(name);
    if (name === CALLER) return CALLER_REFERENCE;
    if (typeof found === 'string' || found.text !== undefined) return constantValue(`{{${text}}}`, scope);
    if (found.unquoted !== undefined) return fail('it passes {{.CLI_ARGS}} on');
    const plain = fallback ?? scope.open.get(name) ?? '';
    return DEFAULT_TEXT.test(plain) ? `\${vars.${name}:-${plain}}` : fail('its default has a meaning for the shell');
  });
  return parts.join('');
}

/** Whether a directory is that of the caller, or inside of it. */
export function startsAtCaller(dir: unknown): boolean {
  return typeof dir === 'string' && /^\{\{-?\s*\.USER_WORKING_DIR\s*-?\}\}(?:\/|$)/.test(dir);
}

/** The default of a variable that a task sets to `{{.NAME | default "text"}}`: what the file sets comes first. */
export function openDefault(name: string, own: string, { fixed, computed, unknown }: TaskScope): string {
  const value = fixed.get(name) ?? '';
  if (computed.has(name) || unknown.has(name) || !DEFAULT_TEXT.test(value))
    throw new LeftOut('the file sets it to another value');
  return value === '' ? own : value;
}

/** The variable of an expression, and its fallback. The name is empty for any other expression. */
function variableIn(expression: string): Readonly<{ name: string; fallback?: string | undefined }> {
  const [, first, firstName] = DEFAULT_FIRST.exec(expression) ?? [];
  if (firstName !== undefined) return { name: firstName, fallback: first };
  const [, name = '', fallback] = DEFAULT.exec(expression) ?? VARIABLE.exec(expression) ?? [];
  return { name, fallback };
}
