import type { SourceText, WorkflowFile } from '../ast.ts';
import type { Owner, Warn } from '../diagnostics/diagnostic.ts';
import { findNewerBash } from '../references/find_variables.ts';
import { rangeAt } from '../syntax/source_range.ts';
import type { LintedRun } from './linted_run.ts';
import { commandsOf, stepsOf } from './scopes.ts';

/** Warns once in each line of what bash 3.2, the one of macOS, lacks. */
export function warnOfNewerBash(file: WorkflowFile, _run: LintedRun | undefined, warn: Warn): void {
  const find = (command: SourceText, owner: Owner): void => {
    const reported = new Set<string>();
    for (const { text, start } of findNewerBash(command.text)) {
      const range = rangeAt(command, start);
      const found = `${range.start} ${text}`;
      if (!reported.has(found)) warn({ code: 'newer bash', reference: text }, owner, range);
      reported.add(found);
    }
  };
  for (const [command, owner] of commandsOf(file)) find(command, owner);
  for (const { step, owner } of stepsOf(file)) if (step.condition !== undefined) find(step.condition, owner);
}
