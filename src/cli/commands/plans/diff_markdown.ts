import type { WorkflowChange } from '../../../ir/compare/compare_workflows.ts';
import { headingOf, stepLines } from './diff_lines.ts';

/** The changes from one file to another, for a comment on a pull request. */
export function* diffMarkdown(from: string, to: string, changes: readonly WorkflowChange[]): Generator<string> {
  if (changes.length === 0) yield `${code(from)} and ${code(to)} do the same.`;
  for (const [index, change] of changes.entries()) {
    const lines = [`# ${headingOf(change)}`, ...[...stepLines(change)].map(atStart)];
    const fence = '`'.repeat(Math.max(3, longestRun(lines) + 1));
    if (index > 0) yield '';
    yield `${fence}diff`;
    yield* lines;
    yield fence;
  }
}

/** The sign of a line, by which GitHub and GitLab colour it, at its start. */
function atStart(line: string): string {
  const [, indent = '', sign = '', rest = ''] = /^( *)([-+~]) (.*)$/s.exec(line) ?? [];
  return `${sign === '~' ? '!' : sign} ${indent}${rest}`;
}

/** The length of the longest run of backticks, which a fence must exceed. */
function longestRun(lines: readonly string[]): number {
  return Math.max(0, ...lines.flatMap((line) => line.match(/`+/g) ?? []).map(({ length }) => length));
}

function code(text: string): string {
  const fence = '`'.repeat(longestRun([text]) + 1);
  return `${fence}${text}${fence}`;
}
