import { DiagnosticList } from '../../frontend/diagnostics/diagnostic.ts';
import { locatedMessage, omittedMessage } from '../../frontend/diagnostics/diagnostic_message.ts';
import { LineIndex } from '../../frontend/syntax/line_index.ts';
import type { LookupProblem } from '../../ir/link.ts';
import type { Place } from './plan_places.ts';
import type { RemoteRun } from './remote_run.ts';

/** The errors about references without a value, as the machine with the file would print them. */
export function renderUnlinked({ path, places }: RemoteRun, problems: readonly LookupProblem[]): readonly string[] {
  const known = new Map(places.filter(([, , , , text]) => text !== undefined).map((place) => [place[0], place]));
  const placeOf = (offset: number): Place => known.get(offset) ?? [offset, path, 1, 1];
  const errors = new DiagnosticList();
  for (const { lookup, problem, known: names } of problems) {
    const [start, , , , text] = placeOf(lookup.offset);
    const { workflow = '', step = null, field = '' } = text ?? {};
    const owner = { workflow, ...(step !== null && { step }) };
    const detail = { code: 'unresolved variable', field, variable: lookup.name, problem, known: names } as const;
    errors.add({ severity: 'error', owner, range: { start, end: start + 1 }, ...detail });
  }
  const noLines = new LineIndex('');
  const lines = errors.items.flatMap((error) => {
    const [, file, line, column, text] = placeOf(error.range.start);
    return [locatedMessage(error, { file, line, column }, noLines, false), ...(text?.shown ?? [])];
  });
  return [...lines, ...omittedMessage(errors)];
}
