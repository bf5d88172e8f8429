import { chooseWorkflow, namesSeveral } from '../../command_line/choose_workflow.ts';
import { readValues } from '../../command_line/params.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { failure, type Result } from '../../../base/result.ts';
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
  const asked = await askedFor(loaded, options, line);
  if (!asked.ok) return refuse(io, asked.problems);
  const { names, params, sides = loaded } = asked.value;
  const changes: WorkflowChange[] = [];
  for (const name of names) {
    const before = await compileSide(sides.before, name, params);
    const after = await compileSide(sides.after, name, params);
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

/** The workflows to compare, with parameters. `sides` have a workflow of the command line in addition. */
type Asked = Readonly<{ names: readonly string[]; params: readonly Variable[]; sides?: Sides }>;

async function askedFor(
  { before, after }: Sides,
  { words, file: path }: Options,
  line: readonly string[],
): Promise<Result<Asked>> {
  const files = [after.file, before.file].filter((file) => file !== undefined);
  if (words.length === 0) {
    const names = [...new Set(files.flatMap(({ workflows }) => [...workflows.keys()]))];
    return { ok: true, value: { names, params: [] } };
  }
  const [newer] = files;
  if (newer !== undefined && namesSeveral(newer, words)) {
    const { readSeveral, withSeveral } = await import('../../driver/operands/several.ts');
    const read = readSeveral(newer, words, path, line);
    if (!read.ok) return read;
    const { workflow, segments } = read.value;
    const side = ({ file, ...each }: LoadedSide): LoadedSide => {
      return { ...each, file: file && withSeveral(file, workflow, segments) };
    };
    return { ok: true, value: { names: [workflow], params: [], sides: { before: side(before), after: side(after) } } };
  }
  const chosen = files.map((file) => ({ file, named: chooseWorkflow(file, words, false) }));
  const found = chosen.find(({ file, named }) => named !== undefined && file.workflows.has(named.workflow));
  if (newer !== undefined && found === undefined) {
    const { unknownWorkflow } = await import('../../driver/unknown_workflow.ts');
    return failure(...unknownWorkflow(words[0] ?? '', newer, path, line));
  }
  if (found?.named === undefined) return failure();
  const { file, named } = found;
  const { params, problems, left } = readValues(named, file, line);
  if (left.length + problems.length === 0) return { ok: true, value: { names: [named.workflow], params } };
  const { operandErrors } = await import('../../driver/operands/operand_errors.ts');
  return failure(...operandErrors({ file, path, line, ...named }));
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
