import type { FileCheck } from '../../checked_step.ts';
import { LeftOut } from '../../imported.ts';
import { fieldsOf, listOf, type TaskFields } from './task_fields.ts';
import { constantValue, type TaskScope } from './task_template.ts';

/** The fields of a task for its files, and for other checks. */
export const FILE_FIELDS: ReadonlySet<string> = new Set(['sources', 'generates', 'status', 'watch']);

/** The patterns of a task that is skipped while its files are up to date. `fallback` is the method of the file. */
export function filesOf(fields: TaskFields, fallback: unknown, scope: TaskScope): FileCheck {
  if (fields.has('status')) throw new LeftOut("'status' may say that it is out of date");
  if ((fields.get('method') ?? fallback) === 'none') throw new LeftOut('its method is none');
  const [sources = [], generates = []] = ['sources', 'generates'].map((name) => {
    const patterns = listOf(fields.get(name)).map((each) => pattern(each, scope));
    const first = patterns.findIndex((each) => !each.startsWith('!'));
    // Before the first pattern, there is nothing to exclude.
    return first === -1 ? [] : patterns.slice(first);
  });
  if (sources.length === 0) throw new LeftOut('it has no sources');
  return { sources, generates };
}

function pattern(given: unknown, scope: TaskScope): string {
  const excluded = fieldsOf(given).get('exclude');
  const text = constantValue(excluded ?? given, scope);
  if (text === '' || /[$~'"`\\!\p{Cc}]/u.test(text)) throw new LeftOut(`the shell would expand '${text}'`);
  return excluded === undefined ? text : `!${text}`;
}
