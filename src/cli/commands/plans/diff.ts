import { chooseWorkflow, namesSeveral } from '../../command_line/choose_workflow.ts';
import { readValues } from '../../command_line/params.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import type { WorkflowFile } from '../../../frontend/ast.ts';
import { wordsOf } from '../../driver/prepare_run.ts';
import { compileSide, loadSides, problemsOf, type LoadedSide, type Sides } from '../../driver/revisions/load_sides.ts';
import { compareWorkflows, type WorkflowChange } from '../../../ir/compare/compare_workflows.ts';
import type { Variable } from '../../../ir/plan.ts';
import { print, printDocument, printLines } from '../../output/document.ts';
import { EXIT, refuse, type Io } from '../../output/io.ts';
import { printMessages } from '../../output/messages/print_messages.ts';
import { outputLines } from '../../output/paint.ts';
import { DIFF_RULES, diffLines } from './diff_lines.ts';

/** `workflow diff`: prints the changes of the plans that an edit of the file causes. */
export async function diff(io: Io, options: Options): Promise<number> {
  const line = wordsOf(options);
  // Annotations show files of the working tree only.
  const shown = { ...options, noCi: true };
  const loaded = await printMessages(io, shown, loadSides(io, options));
  if (loaded === undefined) return EXIT.cannotStart;
  const asked = await askedFor(io, loaded, options, line);
  if (asked === undefined) return EXIT.cannotStart;
  const { sides = loaded } = asked;
  const changes: WorkflowChange[] = [];
  for (const name of asked.names) {
    const before = await compileSide(sides.before, name, asked.params);
    const after = await compileSide(sides.after, name, asked.params);
    if (!before.ok || !after.ok) {
      await printMessages(io, shown, { ok: false, problems: problemsOf([before, after]) });
      return EXIT.cannotStart;
    }
    const change = compareWorkflows(name, before.value, after.value);
    if (change !== undefined) changes.push(change);
  }
  const exit = changes.length === 0 ? EXIT.ok : EXIT.no;
  const [from, to] = [sides.before.name, sides.after.name];
  const { format } = options;
  if (format === 'text') return print(io, outputLines(io, diffLines(from, to, changes), DIFF_RULES), exit);
  if (format === 'markdown') {
    const { diffMarkdown } = await import('./diff_markdown.ts');
    return printLines(io, diffMarkdown(from, to, changes), exit);
  }
  return printDocument(io, diffDocument(from, to, changes), options, exit);
}

/** The names of the workflows to compare, and the parameters. Returns undefined after printing an error. */
async function askedFor(
  io: Io,
  { before, after }: Sides,
  { words, file: path }: Options,
  line: readonly string[],
): Promise<Readonly<{ names: readonly string[]; params: readonly Variable[]; sides?: Sides }> | undefined> {
  const files = [after.file, before.file].filter((file) => file !== undefined);
  if (words.length === 0)
    return { names: [...new Set(files.flatMap(({ workflows }) => [...workflows.keys()]))], params: [] };
  const [newer] = files;
  if (newer !== undefined && namesSeveral(newer, words))
    return askedForSeveral(io, { before, after }, newer, { words, path, line });
  const chosen = files.map((file) => ({ file, named: chooseWorkflow(file, words, false) }));
  const found = chosen.find(({ file, named }) => named !== undefined && file.workflows.has(named.workflow));
  const [newest] = chosen;
  if (found === undefined && newest !== undefined) {
    const { unknownWorkflow } = await import('../../driver/unknown_workflow.ts');
    refuse(io, unknownWorkflow(words[0] ?? '', newest.file, path, line));
    return undefined;
  }
  if (found?.named === undefined) return undefined;
  const { file, named } = found;
  const { params, problems, left } = readValues(named, file, line);
  if (left.length + problems.length === 0) return { names: [named.workflow], params };
  const { operandErrors } = await import('../../driver/operands/operand_errors.ts');
  refuse(io, operandErrors({ file, path, line, ...named }));
  return undefined;
}

/** Adds a workflow to both sides that calls the workflows of the command line. */
async function askedForSeveral(
  io: Io,
  { before, after }: Sides,
  file: WorkflowFile,
  { words, path, line }: Readonly<{ words: readonly string[]; path: string; line: readonly string[] }>,
): Promise<Readonly<{ names: readonly string[]; params: readonly Variable[]; sides: Sides }> | undefined> {
  const { readSeveral, withSeveral } = await import('../../driver/operands/several.ts');
  const read = readSeveral(file, words, path, line);
  if (!read.ok) {
    refuse(io, read.problems);
    return undefined;
  }
  const { workflow, segments } = read.value;
  const side = (each: LoadedSide): LoadedSide => ({
    ...each,
    file: each.file && withSeveral(each.file, workflow, segments),
  });
  return { names: [workflow], params: [], sides: { before: side(before), after: side(after) } };
}

/** The document of a comparison. */
export function diffDocument(from: string, to: string, changes: readonly WorkflowChange[]): object {
  return { from, to, same: changes.length === 0, workflows: changes.map(workflowEntry) };
}

function workflowEntry({ workflow, change, text, steps }: WorkflowChange): object {
  return {
    workflow,
    change,
    text_changed: text,
    steps: steps.map(({ change: kind, moved, command, fields, variables, ...step }) => ({
      change: kind,
      ...step,
      command: command ?? undefined,
      moved: moved || undefined,
      fields: fields.length === 0 ? undefined : fields,
      variables: variables.length === 0 ? undefined : variables,
    })),
  };
}
