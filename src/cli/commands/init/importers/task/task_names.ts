import { shellWord } from '../../../../../base/shell_word.ts';
import { sourceDirectory } from '../../import_kind.ts';
import type { ImportedWorkflow } from '../../imported.ts';
import { fieldsOf, listOf, type TaskFields } from './task_fields.ts';

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
