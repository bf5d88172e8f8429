import type { WorkflowFile } from '../frontend/ast.ts';
import { didYouMean } from '../frontend/diagnostics/suggest.ts';
import { createRedactor, HIDDEN } from '../command_line/redact.ts';
import { DEFAULT_FILE } from '../command_line/default_file.ts';
import { shellWord } from '../shell_word.ts';

/** The error for an unknown workflow, and the command that lists the known ones. */
export function unknownWorkflow(
  name: string,
  { workflows }: WorkflowFile,
  path: string,
  line: readonly string[],
): string[] {
  const quoted = createRedactor(line)(name);
  const known = [...workflows.keys(), ...[...workflows.values()].flatMap(({ aliases }) => aliases)];
  const suggestion = quoted === HIDDEN ? '' : didYouMean(name, known);
  const list = ['cli', 'list', '--all', ...(path === DEFAULT_FILE ? [] : ['--file', path])];
  const where = path === '-' ? '<stdin>' : path;
  return [`no workflow ${quoted} in ${where}${suggestion}`, `to list the workflows: ${list.map(shellWord).join(' ')}`];
}
