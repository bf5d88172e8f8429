import { looksNegative } from '../frontend/lint/data_flow.ts';
import { DiagnosticList } from '../frontend/diagnostics/diagnostic.ts';
import { negativeCountsAsSet, tooLarge } from '../frontend/diagnostics/shared_messages.ts';
import { didYouMean } from '../frontend/diagnostics/suggest.ts';
import type { LineIndex } from '../frontend/syntax/line_index.ts';
import type { WorkflowFile } from '../frontend/ast.ts';
import { compile } from '../ir/compile.ts';
import type { Plan } from '../ir/plan.ts';
import { testText } from '../ir/views/preview.ts';
import { splice } from '../ir/output_variables.ts';
import { operationsText, OPERATION_LIMIT } from '../ir/plan_size.ts';
import type { Options } from '../command_line/parse.ts';
import { say, type Io } from '../output/io.ts';
import { load, printDiagnostics } from './load.ts';
import { lint } from './lint.ts';
import { readParams } from '../command_line/params.ts';
import { addUnresolved } from './unresolved.ts';

/** What is going to run, where it comes from, and the line and column of an offset in there. */
export type Prepared = Readonly<{ plan: Plan; path: string; position: LineIndex['position'] }>;

/** The same for a run, which keeps neither the file nor its text: all that we hold makes each step slower. */
export async function prepareRun(io: Io, options: Options): Promise<Prepared | undefined> {
  const found = await prepare(io, options);
  return found && { plan: found.plan, path: found.path, position: found.position };
}

/**
 * Everything that has to be right before the first command: the parameters, the file, the workflow,
 * the plan. Undefined if anything is not; it has been said then.
 */
export async function prepare(
  io: Io,
  { file: path, words, switches }: Options,
): Promise<(Prepared & { readonly file: WorkflowFile }) | undefined> {
  const refuse = (problems: readonly string[]): undefined => say(io, problems, 'cli: ');
  const [workflow = '', ...rest] = words;
  const { params, problems } = readParams(rest);
  if (problems.length > 0) return refuse(problems);
  const loaded = await load(io, path);
  if (loaded === undefined) return undefined;
  const [strict, quiet] = [switches.has('strict'), switches.has('quiet')];
  const inherits = (name: string): boolean => io.env[name] !== undefined;
  const { errors, warnings } = lint(loaded, strict, { workflow, params: new Map(params), inherits });
  await printDiagnostics(io, { ...loaded, errors, warnings: quiet ? new DiagnosticList() : warnings });
  if (loaded.kind !== 'valid' || errors.items.length > 0) return undefined;
  const { workflows } = loaded.file;
  if (!workflows.has(workflow)) {
    const { unknownWorkflow } = await import('./unknown_workflow.ts');
    return refuse(unknownWorkflow(workflow, workflows.keys(), path));
  }
  const compiled = compile(loaded.file, workflow, params);
  if (compiled.kind === 'too large') {
    const sentence = tooLarge(operationsText(compiled.operations), OPERATION_LIMIT);
    return refuse([`workflow '${workflow}': ${sentence}`]);
  }
  if (compiled.kind === 'unresolved') {
    const unresolved = new DiagnosticList();
    addUnresolved(unresolved, workflow, false, compiled.unresolved);
    return printDiagnostics(io, { ...loaded, errors: unresolved, warnings: new DiagnosticList() });
  }
  const odd = paramWarnings(compiled.plan);
  if (strict && odd.length > 0) return refuse(odd);
  if (!quiet) say(io, odd, 'cli: warning: ');
  const { source } = loaded;
  return { plan: compiled.plan, file: loaded.file, path: source.path, position: source.lines.positions() };
}

/**
 * Parameters that nothing in the plan mentions, which are likely misspelt, and that mean no but make a condition hold.
 * A mention is any word that could be the name of a variable, but for those of references: too many rather than too few.
 */
function paramWarnings({ workflow, params, frames, ops }: Plan): string[] {
  if (params.length === 0) return [];
  const names = frames.flatMap(({ vars }) => vars.map(([name]) => name));
  const texts = ops.map((op) => {
    if (op.kind !== 'condition') return splice(op.command, op.reads, () => ' ');
    return op.test.kind === 'variable' ? op.test.name : splice(op.test.command, op.test.reads, () => ' ');
  });
  const used = new Set([...names, ...texts.flatMap((text) => text.match(/[A-Za-z_][A-Za-z0-9_]*/g) ?? [])]);
  const unused = params.filter(([name]) => !used.has(name));
  const sentence = `nothing in workflow '${workflow}' mentions the parameter`;
  const tested = new Set(ops.flatMap((op) => (op.kind === 'condition' ? testText(op.test) : [])));
  const meantNo = params.filter(([name, value]) => tested.has(name) && looksNegative(value));
  return [
    ...unused.map(([name]) => `${sentence} '${name}'${didYouMean(name, used)}`),
    ...meantNo.map(([name]) => negativeCountsAsSet(`the parameter '${name}'`, name)),
  ];
}
