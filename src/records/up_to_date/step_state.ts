import { createHash } from 'node:crypto';
import { relative, resolve } from 'node:path';
import type { CheckedStep } from '../../backend/checks/check_port.ts';
import { usesArguments } from '../../ir/ops.ts';
import { at, type Plan } from '../../ir/plan.ts';
import { isUnnamed } from '../../base/generated_name.ts';
import { failure, type Result } from '../../base/result.ts';
import { saysMissing } from '../../backend/system/try_system_call.ts';
import { findFiles } from './find_files.ts';
import type { FileStates } from './file_states.ts';
import { FileTable } from './file_table.ts';
import { parsePatterns, type Pattern } from './patterns.ts';
import { PRINTS, type StepRecord } from './step_record.ts';
import type { RecordName } from './state_directory.ts';

/** The plan of a run, the path of its file, and the arguments after `--` of those commands that use them. */
export type CheckedRun = Readonly<{ plan: Plan; file: string; args: readonly string[] }>;

/** A step and its source files as they are now. `problems` make it run each time. */
export type StepState = Readonly<{
  name: RecordName;
  what: Omit<StepRecord, 'sources' | 'generated' | 'outputs'>;
  sources: FileTable;
  problems: readonly string[];
  /** Whether all source files could be read. */
  isWhole: boolean;
}>;

/** The identity of a step: it is its file, workflow and name, wherever it is called from; without a name, its command. */
export function identityOf(
  { plan, file, args }: CheckedRun,
  step: CheckedStep,
): Omit<StepState, 'sources' | 'problems' | 'isWhole'> {
  const { op, sources, generates, variables, reads } = step;
  const included = plan.files?.findLast(({ start }) => start <= op.offset)?.path ?? '';
  const label = isUnnamed(op) ? ['command', op.command] : ['name', op.name];
  const path = file === '<stdin>' ? file : relative(process.cwd(), resolve(file));
  const vars = variables.map(([name, value]) => [name, digest([name, value])] as const);
  const own = usesArguments(op) ? digest(args) : null;
  const dir = digest(op.dir);
  return {
    name: {
      step: digest([path, included, at(plan.calls, op.call).workflow, ...label]),
      values: digest([dir, vars, own]),
    },
    what: {
      print: {
        command: digest([op.command, op.errexit ?? false]),
        dir,
        outputs: digest(op.options.outputs),
        sources: digest(sources),
        generates: digest(generates),
      },
      vars,
      reads: digest(reads),
      args: own,
    },
  };
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}

/** The patterns of a step, relative to its directory. */
export function patternsOf({ op }: CheckedStep, patterns: readonly string[]): Promise<readonly Pattern[]> {
  return parsePatterns(patterns, resolve(op.dir ?? '.'));
}

/** Reads the state of a step. What it makes is no source of it. Contents may be known from a record. */
export async function readState(
  run: CheckedRun,
  step: CheckedStep,
  files: FileStates,
  known: FileTable | undefined,
): Promise<StepState> {
  const [patterns, made] = [await patternsOf(step, step.sources), await patternsOf(step, step.generates)];
  const { paths, unmatched, unreadable } = findFiles(patterns, made);
  const sources = new FileTable();
  const problems = unmatched.map((pattern) => `'${pattern}' matches nothing`);
  for (const [path, reason] of unreadable) problems.push(`${relative('.', path)} cannot be read: ${reason}`);
  for (const path of paths) {
    const problem = files.add(path, sources, known);
    if (problem !== undefined && !saysMissing(problem)) problems.push(`${path} cannot be read: ${problem}`);
    if (files.isLong) await files.pause();
  }
  return { ...identityOf(run, step), sources, problems, isWhole: problems.length === unmatched.length };
}

/** The files that a step has made, or the patterns without a file. */
export async function readGenerated(step: CheckedStep, files: FileStates): Promise<Result<FileTable>> {
  const { paths, unmatched } = findFiles(await patternsOf(step, step.generates));
  if (unmatched.length > 0) return failure(...unmatched);
  const generated = new FileTable();
  for (const path of paths) {
    if (files.add(path, generated, undefined) !== undefined) return failure(path);
    if (files.isLong) await files.pause();
  }
  return { ok: true, value: generated };
}

/** The differences between a step now and at a success, in order: what it is, its values, and its source files. */
export function differences({ what, sources }: StepState, record: StepRecord): string[] {
  const reasons: string[] = [];
  for (const part of PRINTS) {
    if (what.print[part] !== record.print[part])
      reasons.push(part === 'command' ? 'its command changed' : `'${part}' changed`);
  }
  const [before, now] = [new Map(record.vars), new Map(what.vars)];
  for (const name of [...new Set([...before.keys(), ...now.keys()])].toSorted()) {
    if (before.get(name) !== now.get(name)) reasons.push(`${name} changed`);
  }
  if (what.reads !== record.reads) reasons.push('an output that it uses changed');
  if (what.args !== record.args) reasons.push('its arguments changed');
  let index = -1;
  let found = 0;
  for (const path of sources.paths) {
    index += 1;
    const known = record.sources.indexOf(path, index);
    if (known === -1) reasons.push(`${path} is new`);
    else found += 1;
    if (known !== -1 && !sources.isSame(index, record.sources, known)) reasons.push(`${path} changed`);
  }
  if (found === record.sources.paths.length) return reasons;
  const gone = record.sources.paths.filter((path) => sources.indexOf(path, -1) === -1);
  return [...reasons, ...gone.map((path) => `${path} is gone`)];
}
