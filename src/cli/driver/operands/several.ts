import type { CallStep, SourceText, Workflow, WorkflowFile } from '../../../frontend/ast.ts';
import { at, framesFrom, type Plan, type Segment } from '../../../ir/plan.ts';
import { generatedName } from '../../../base/generated_name.ts';
import { failure, type Result } from '../../../base/result.ts';
import { chooseWorkflow, joinedName, PLUS } from '../../command_line/choose_workflow.ts';
import { readValues } from '../../command_line/params.ts';
import { operandErrors } from './operand_errors.ts';
import { unknownWorkflow } from '../unknown_workflow.ts';

/** The file with a workflow that calls several others, one after the other, and its name. */
type Several = Readonly<{ file: WorkflowFile; workflow: string; segments: readonly Segment[] }>;

/** Reads operands such as `lint + test VERSION:1`. `path` is that of the file, `line` the whole command line. */
export function readSeveral(
  file: WorkflowFile,
  words: readonly string[],
  path: string,
  line: readonly string[],
): Result<Several> {
  const problems: string[] = [];
  const segments: Segment[] = [];
  for (const part of partsOf(words)) {
    const named = part.length === 0 ? undefined : chooseWorkflow(file, part, false);
    if (named === undefined) {
      problems.push(`'${PLUS}' stands between the names of two workflows: cli run lint ${PLUS} test`);
      continue;
    }
    const { workflow } = named;
    if (!file.workflows.has(workflow)) problems.push(...unknownWorkflow(workflow, file, path, line));
    else if (workflow.includes(joinedName(['', ''])))
      problems.push(`workflow '${workflow}' cannot be one of several, because its name contains ' ${PLUS} '`);
    const { params, problems: wrong, left } = readValues(named, file, line);
    if (wrong.length + left.length > 0) problems.push(...operandErrors({ file, path, line, ...named }));
    segments.push({ workflow, params });
  }
  const workflow = joinedName(segments.map((each) => each.workflow));
  if (problems.length === 0 && file.workflows.has(workflow))
    problems.push(`the file has a workflow of the name '${workflow}': rename it`);
  if (problems.length > 0) return failure(...new Set(problems));
  return { ok: true, value: { file: withSeveral(file, workflow, segments), workflow, segments } };
}

/** The operands of each workflow. A record has all names in its first word, and numbered parameters after it. */
function partsOf(words: readonly string[]): readonly (readonly string[])[] {
  if (words.includes(PLUS)) {
    const parts: string[][] = [[]];
    for (const word of words)
      if (word === PLUS) parts.push([]);
      else parts.at(-1)?.push(word);
    return parts;
  }
  const [first = '', ...rest] = words;
  return first.split(joinedName(['', ''])).map((name, index) => {
    const number = `${index + 1}.`;
    const own = rest.filter((word) => word.startsWith(number)).map((word) => word.slice(number.length));
    return [name].concat(own);
  });
}

/** A file with the workflow of a run of several. The same file if it lacks one of them. */
export function withSeveral(file: WorkflowFile, workflow: string, segments: readonly Segment[]): WorkflowFile {
  const called = segments.map((segment) => file.workflows.get(segment.workflow));
  const [first] = called;
  if (first === undefined || called.includes(undefined)) return file;
  const steps = segments.map((segment, index): CallStep => {
    const name = generatedName(index + 1);
    const { range } = called[index] ?? first;
    const textOf = (text: string): SourceText => ({ text, range, references: [] });
    const own = new Map(segment.params.map(([key, value]) => [key, textOf(value)] as const));
    const none = { condition: undefined, matrix: null, dir: undefined };
    return { kind: 'call', name, workflow: segment.workflow, with: own, ...none, offset: range.start };
  });
  const logs = called.map((each) => each?.logs).find((each) => each !== undefined);
  const all: Workflow = { ...PLAIN, logs, steps, range: first.range };
  return { ...file, workflows: new Map([...file.workflows, [workflow, all]]) };
}

const PLAIN = {
  description: '',
  private: true,
  agents: undefined,
  aliases: [],
  inputs: null,
  env: new Map(),
  dotenv: [],
  dir: undefined,
  error: undefined,
  finally: undefined,
  once: false,
  lock: undefined,
  scope: null,
} as const;

/**
 * Errors about parameters of one of several workflows that something inside of it sets, too: the `with` of a call gives
 * them, which does not override that, as parameters of a run do.
 */
export function overriddenSegments(plan: Plan, segments: readonly Segment[]): readonly string[] {
  const problems = new Set<string>();
  const choosing = new Set(
    plan.frames.flatMap(({ dotenv = [] }) => dotenv.flatMap(({ lookups = [] }) => lookups.map(({ name }) => name))),
  );
  for (const { from, frame, start, end } of plan.calls) {
    if (from?.call !== 0) continue;
    const { workflow, params } = at(segments, Number(from.step) - 1);
    const names = new Set(params.map(([name]) => name));
    for (const name of choosing)
      if (names.has(name))
        problems.add(
          `${name} chooses a dotenv file, which only a parameter of a single run does: run '${workflow}' by itself`,
        );
    const inner = new Set(plan.calls.flatMap((call) => (call.start >= start && call.end <= end ? call.frame : [])));
    for (const op of plan.ops.slice(start, end)) inner.add(op.frame);
    for (const leaf of inner)
      for (const [index, { source, vars }] of framesFrom(plan, leaf))
        for (const [name] of index > frame ? vars : [])
          if (names.has(name))
            problems.add(
              `the ${source} sets ${name}, too, which only a parameter of a single run overrides: run '${workflow}' by itself`,
            );
  }
  return [...problems];
}
