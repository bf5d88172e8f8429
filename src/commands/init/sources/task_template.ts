import { LeftOut, type ImportedVariables } from '../imported.ts';
import { inserted, type TemplatePart } from '../shell_template.ts';

const TEMPLATE = /\{\{-?\s*(.*?)\s*-?\}\}/gs;
const VARIABLE = /^\.([A-Za-z_]\w*)$/;
/** `.NAME | default "text"` or `default "text" .NAME`, with text that can stand in `${NAME:-text}`. */
const DEFAULT = /^\.([A-Za-z_]\w*)\s*\|\s*default\s+["']([\w ./:@%+,=-]*)["']$/;
const DEFAULT_FIRST = /^default\s+["']([\w ./:@%+,=-]*)["']\s+\.([A-Za-z_]\w*)$/;

/**
 * The variables of a template. `fixed` contains values that no call changes, `unknown` the names of variables that were
 * left out.
 */
export type TaskScope = Readonly<{ task: string; fixed: ImportedVariables; unknown: ReadonlySet<string> }>;

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

function part(expression: string, { task, fixed, unknown }: TaskScope): TemplatePart {
  const { name, fallback = '' } = variableIn(expression);
  if (name === '') throw new LeftOut(`{{${expression}}} has no counterpart`);
  if (unknown.has(name)) throw new LeftOut(`it uses the variable '${name}', which is left out`);
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
export function constantValue(name: string, value: unknown, { task, fixed }: TaskScope): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') throw new LeftOut('its value is computed');
  const text = value.replaceAll(TEMPLATE, (_, expression: string) => {
    const { name: used, fallback } = variableIn(expression);
    const known = used === 'TASK' ? task : fixed.get(used);
    const own = used === name ? (fallback ?? '') : undefined;
    const result = known ?? own;
    if (result === undefined) throw new LeftOut(`{{${expression}}} has no fixed value`);
    return result;
  });
  if (text.includes('$')) throw new LeftOut('its value holds a $');
  return text;
}

/** The value of a variable of a call, which may hold the variables of the caller as `${vars.NAME}`. */
export function callValue(value: unknown, scope: TaskScope): string {
  if (typeof value !== 'string') return constantValue('', value, scope);
  const parts = value.split(TEMPLATE).map((text, index) => {
    // Odd parts are the expressions that the pattern captures.
    if (index % 2 === 0) return text.includes('$') ? constantValue('', text, scope) : text;
    const found = part(text, scope);
    return typeof found === 'string' ? constantValue('', found, scope) : found.expansion.replace('${', '${vars.');
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
