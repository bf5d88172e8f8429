import { attempt, LeftOut, type ImportedStep, type ImportedVariables } from '../imported.ts';
import { inserted, shellText, type TemplatePart } from '../shell_template.ts';

const TEMPLATE = /\{\{-?\s*(.*?)\s*-?\}\}/gs;
const VARIABLE = /^\.([A-Za-z_]\w*)$/;
/** `.NAME | default "text"` or `default "text" .NAME`, with text that can stand in `${NAME:-text}`. */
const DEFAULT = /^\.([A-Za-z_]\w*)\s*\|\s*default\s+["']([\w ./:@%+,=-]*)["']$/;
const DEFAULT_FIRST = /^default\s+["']([\w ./:@%+,=-]*)["']\s+\.([A-Za-z_]\w*)$/;

/** A variable whose value a command prints, and the computed variables that the command uses. */
export type ComputedVariable = Readonly<{ run: string; uses: readonly string[] }>;

/**
 * The variables of a template. `fixed` contains values that no call changes, `computed` the variables whose values are
 * printed by commands, and `unknown` the names of variables that were left out. `used` collects the computed variables
 * that a template uses.
 */
export type TaskScope = Readonly<{ task: string; fixed: ImportedVariables; unknown: ReadonlySet<string> }> &
  Readonly<{ computed: ReadonlyMap<string, ComputedVariable>; used: Set<string> }>;

/** A variable whose value is the output of a command. */
export function computedVariable(command: string, scope: TaskScope): ComputedVariable {
  const used = new Set<string>();
  const run = shellText(templateParts(command.trimEnd(), { ...scope, used }));
  return { run, uses: [...used] };
}

/** A step that reads the computed variables of its templates from the steps that compute them. */
export function readingComputed(scope: TaskScope, convert: (scope: TaskScope) => ImportedStep): ImportedStep {
  const used = new Set<string>();
  const step = convert({ ...scope, used });
  for (const name of used) scope.used.add(name);
  return used.size === 0 || 'workflow' in step ? step : { ...step, with: valuesOf([...used]) };
}

/** The steps that compute the used variables of a scope, in the order of their dependencies. */
export function computingSteps({ computed, used }: TaskScope): ImportedStep[] {
  const names = new Set<string>();
  const add = (name: string): void => {
    if (names.has(name)) return;
    for (const each of computed.get(name)?.uses ?? []) add(each);
    names.add(name);
  };
  for (const name of used) add(name);
  return [...names].map((name) => {
    const { run = '', uses = [] } = computed.get(name) ?? {};
    const outputs = new Map([[name, 'text']]);
    return uses.length === 0 ? { name, run, outputs } : { name, run, with: valuesOf(uses), outputs };
  });
}

function valuesOf(names: readonly string[]): ImportedVariables {
  return new Map(names.map((name) => [name, outputOf(name)]));
}

function outputOf(name: string): string {
  return `\${steps.${name}.${name}}`;
}

/** The parts of a command, split at `{{…}}`. */
export function templateParts(text: string, scope: TaskScope): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const { 0: found, 1: expression = '', index } of text.matchAll(TEMPLATE)) {
    parts.push(text.slice(end, index), part(expression, scope));
    end = index + found.length;
  }
  return [...parts, text.slice(end)];
}

function part(expression: string, { task, fixed, unknown, computed, used }: TaskScope): TemplatePart {
  const { name, fallback = '' } = variableIn(expression);
  if (name === '') throw new LeftOut(`{{${expression}}} has no counterpart`);
  if (unknown.has(name)) throw new LeftOut(`it uses the variable '${name}', which is left out`);
  if (computed.has(name)) {
    used.add(name);
    return { expansion: `\${${name}}` };
  }
  if (name === 'TASK') return task;
  if (
    /^(?:ROOT_DIR|TASKFILE|TASKFILE_DIR|USER_WORKING_DIR|CHECKSUM|TIMESTAMP|TASK_VERSION|TASK_EXE|ITEM|KEY|MATCH|EXIT_CODE)$/.test(
      name,
    )
  ) {
    throw new LeftOut(`{{.${name}}} has no counterpart`);
  }
  const value = fixed.get(name);
  return value === undefined ? { expansion: `\${${name}:-${fallback}}` } : inserted(name, value);
}

/** The value of a variable, with other variables replaced by their fixed values. */
export function constantValue(name: string, value: unknown, { task, fixed, computed }: TaskScope): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') throw new LeftOut('its value is computed');
  const text = value.replaceAll(TEMPLATE, (_, expression: string) => {
    const { name: used, fallback } = variableIn(expression);
    const known = used === 'TASK' ? task : fixed.get(used);
    const own = used === name && !computed.has(name) ? (fallback ?? '') : undefined;
    const result = known ?? own;
    if (result === undefined) throw new LeftOut(`{{${expression}}} has no fixed value`);
    return result;
  });
  if (text.includes('$')) throw new LeftOut('its value holds a $');
  return text;
}

/** The value of a variable of a task: fixed, or with the variables around the task as `${vars.NAME}`. */
export function taskValue(name: string, value: unknown, scope: TaskScope): string {
  const fixed = attempt(() => constantValue(name, value, scope));
  if (!(fixed instanceof LeftOut)) return fixed;
  // A value cannot hold an output.
  const unknown = new Set([...scope.unknown, ...scope.computed.keys()]);
  const open = typeof value === 'string' ? attempt(() => callValue(value, { ...scope, unknown })) : fixed;
  if (open instanceof LeftOut) throw fixed;
  return open;
}

/** The value of a variable of a call, which may hold the variables of the caller as `${vars.NAME}`. */
export function callValue(value: unknown, scope: TaskScope): string {
  if (typeof value !== 'string') return constantValue('', value, scope);
  const parts = value.split(TEMPLATE).map((text, index) => {
    // Odd parts are the expressions that the pattern captures.
    if (index % 2 === 0) return text.includes('$') ? constantValue('', text, scope) : text;
    const found = part(text, scope);
    if (typeof found === 'string') return constantValue('', found, scope);
    const { name } = variableIn(text);
    return scope.computed.has(name) ? outputOf(name) : found.expansion.replace('${', '${vars.');
  });
  return parts.join('');
}

/** The variable of an expression, and its fallback. The name is empty for any other expression. */
function variableIn(expression: string): Readonly<{ name: string; fallback?: string | undefined }> {
  const [, first, firstName] = DEFAULT_FIRST.exec(expression) ?? [];
  if (firstName !== undefined) return { name: firstName, fallback: first };
  const [, name = '', fallback] = DEFAULT.exec(expression) ?? VARIABLE.exec(expression) ?? [];
  return { name, fallback };
}
