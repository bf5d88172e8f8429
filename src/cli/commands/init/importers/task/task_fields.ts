import { shellWord } from '../../../../../base/shell_word.ts';
import { sourceDirectory } from '../../import_kind.ts';
import type { ImportedWorkflow } from '../../imported.ts';
export type TaskFields = ReadonlyMap<unknown, unknown>;

/** The fields of an object, none for any other value. */
export function fieldsOf(value: unknown): TaskFields {
  return value instanceof Map ? value : new Map();
}

/** The items of a list, or a single value as a list. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** All texts in a value. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  return value instanceof Map ? [...value.values()].map(textOf).join('\n') : '';
}

/** The description and the other names of a task. */
export function described(fields: TaskFields): Pick<ImportedWorkflow, 'description' | 'aliases'> {
  const text = fields.get('desc') ?? fields.get('summary');
  const description = typeof text === 'string' ? text.trim() : undefined;
  return { description, aliases: listOf(fields.get('aliases')).map(String) };
}

/** A workflow that calls go-task, which runs neither internal tasks nor the name of a pattern. */
export function callOfTask(directory: string, tasks: TaskFields, name: string): ImportedWorkflow | undefined {
  const fields = fieldsOf([...tasks].find(([key]) => String(key) === name)?.[1]);
  if (name.includes('*') || fields.get('internal') === true) return undefined;
  const steps = [{ run: `task ${shellWord(name)} -- "$@"` }];
  return { name, ...described(fields), dir: sourceDirectory(directory), steps };
}
