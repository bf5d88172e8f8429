import { diffDocument } from '../../cli/commands/plans/diff.ts';
import { diffLines } from '../../cli/commands/plans/diff_lines.ts';
import { compileSide, problemsOf, type LoadedSide } from '../../cli/driver/revisions/load_sides.ts';
import { escapeLines } from '../../cli/output/escape.ts';
import { printedMessages, fileErrors } from '../../cli/output/messages/message.ts';
import { compareWorkflows, type WorkflowChange } from '../../ir/compare/compare_workflows.ts';
import type { LoadedProject } from '../projects.ts';
import type { Comparison } from '../types.ts';

/** The changes of all workflows from one project to another, or of one with parameters. */
export async function compareProjects(
  before: LoadedProject,
  after: LoadedProject,
  names: readonly [before: string, after: string],
): Promise<Comparison> {
  const sides = [sideOf(before, names[0]), sideOf(after, names[1])];
  const found = sides.flatMap((side) => (typeof side === 'string' ? side : []));
  const [from, to] = sides.flatMap((side) => (typeof side === 'string' ? [] : side));
  if (from === undefined || to === undefined) return failed(found.join(''));
  const changes: WorkflowChange[] = [];
  const workflows = [to, from].flatMap(({ file }) => Array.from(file?.workflows.keys() ?? []));
  for (const name of new Set(workflows)) {
    const compiled = [await compileSide(from, name, []), await compileSide(to, name, [])] as const;
    if (!compiled[0].ok || !compiled[1].ok) return failed(printedMessages(problemsOf(compiled)));
    const change = compareWorkflows(name, compiled[0].value, compiled[1].value);
    if (change !== undefined) changes.push(change);
  }
  const document: Comparison['document'] = JSON.parse(JSON.stringify(diffDocument(from.name, to.name, changes)));
  return { messages: '', text: escapeLines([...diffLines(from.name, to.name, changes)], ''), document };
}

function failed(messages: string): Comparison {
  return { messages, text: '', document: null };
}

/** A valid file as a side of a comparison, or the text of its errors. */
function sideOf(project: LoadedProject, name: string): LoadedSide | string {
  if (project.kind === 'unreadable') return printedMessages([project.problem]);
  const { kind, file, errors, source } = project.loaded;
  if (kind === 'valid' && errors.items.length === 0) return { name, path: source.path, file, source };
  return printedMessages(fileErrors(source, errors).problems);
}
