import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { withCallerDirectory } from '../variables/caller_directory.ts';
import type { RunJournal } from '../../../backend/run_journal.ts';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { failure, type Result } from '../../../base/result.ts';
import { changedSteps } from '../../../ir/compare/compare_plans.ts';
import type { Op, Plan, RunOp, StaleTest } from '../../../ir/plan.ts';
import { readsOf } from '../../../ir/ops.ts';
import { frameReads } from '../../../ir/resume/lost_reads.ts';
import { matcherOf } from '../../../records/up_to_date/find_files.ts';
import { isBelow, parsePatterns, type Pattern } from '../../../records/up_to_date/patterns.ts';
import type { Io } from '../../output/io.ts';
import { type Message, messageLines } from '../../output/messages/message.ts';
import type { PreparedRun } from '../prepare_run.ts';
import { compileSide, parseSide } from '../revisions/load_sides.ts';
import { withSeveral } from '../operands/several.ts';
import { readChanges, readFilesAt, type GitChanges } from './git_changes.ts';

/**
 * A run whose plan has a decision for each step with sources, the checks of the steps that are skipped, and why
 * definitions could not be compared.
 */
type DecidedRun<Run> = Readonly<{ prepared: Run; skipped: ReadonlySet<number>; notes: readonly string[] }>;

/** A step with sources. `runs` is the reason why it runs, null if nothing has touched it. */
type SourceStep = Readonly<{ check: number; op: RunOp; sources: readonly Pattern[]; generates: readonly Pattern[] }> &
  Readonly<{ isSource: (path: string) => boolean }> & { runs: string | null };

/**
 * Decides which steps with sources run, by what has changed since the merge base with a revision: a source, the step
 * itself, or a file or an output that another step makes or uses. Starts at most five processes. `known` returns the ops
 * outside of the selected part.
 */
export async function decideSince<Run extends Pick<PreparedRun, 'plan' | 'written' | 'path'>>(
  io: Pick<Io, 'env'>,
  prepared: Run,
  revision: string,
  known: RunJournal['known'],
): Promise<Result<DecidedRun<Run>>> {
  const plan = withCallerDirectory(prepared.plan, io.env);
  const read = readChanges(revision);
  if (!read.ok) return read;
  const changes = read.value;
  const steps = await sourceSteps(plan, (op) => known(op)?.kind === 'left out');
  const edited = steps.length === 0 ? new Set<number>() : await editedSteps(prepared, changes);
  const isUnknown = typeof edited === 'string';
  const notes = isUnknown ? [`${edited}; every step counts as changed`] : [];
  const isEdited = (op: number): boolean => isUnknown || edited.has(op);
  for (const step of steps)
    step.runs = isEdited(step.check + 1) ? 'the step itself changed' : (changedSource(step, changes) ?? null);
  propagate(plan, steps);
  const decisions = new Map(steps.map((step) => [step.check, step.runs]));
  const ops = prepared.plan.ops.map((op, index): Op => {
    const reason = decisions.get(index);
    if (reason === undefined || op.kind !== 'condition' || op.test.kind !== 'stale') return op;
    return { ...op, test: { ...op.test, since: { revision, reason } } };
  });
  const skipped = new Set(steps.flatMap(({ check, runs }) => (runs === null ? check : [])));
  return { ok: true, value: { prepared: { ...prepared, plan: { ...prepared.plan, ops } }, skipped, notes } };
}

async function sourceSteps({ ops }: Plan, isLeftOut: (op: number) => boolean): Promise<readonly SourceStep[]> {
  const steps: SourceStep[] = [];
  for (const [check, condition] of ops.entries()) {
    const op = ops[check + 1];
    if (condition.kind !== 'condition' || condition.test.kind !== 'stale' || op?.kind !== 'run') continue;
    if (isLeftOut(check + 1)) continue;
    const patterns = async (texts: StaleTest['sources']): Promise<readonly Pattern[]> =>
      (
        await parsePatterns(
          texts.map(({ text }) => text),
          resolve(op.dir ?? '.'),
        )
      ).flatMap(withRealPath);
    const [sources, generates] = [await patterns(condition.test.sources), await patterns(condition.test.generates)];
    steps.push({ check, op, sources, generates, isSource: matcherOf(sources, generates), runs: null });
  }
  return steps;
}

/** A pattern, and the same from the real path of its base: Git has the paths behind links. */
function withRealPath(pattern: Pattern): readonly Pattern[] {
  let [base, rest] = [pattern.base, ''];
  for (;;) {
    const real = trySystemCall(() => ({ path: realpathSync(base) }));
    if (typeof real === 'object') {
      const path = join(real.path, rest);
      return path === pattern.base ? [pattern] : [pattern, { ...pattern, base: path }];
    }
    if (dirname(base) === base) return [pattern];
    [base, rest] = [dirname(base), join(relative(dirname(base), base), rest)];
  }
}

/** The first changed file that a step reads. */
function changedSource({ sources, isSource }: SourceStep, { paths, directories }: GitChanges): string | undefined {
  for (const path of paths) if (isSource(path)) return `${relative('.', path)} changed`;
  const open = directories.find((directory) => sources.some((pattern) => mayShare(pattern, directory)));
  return open && `files in ${relative('.', open) || '.'} may have changed`;
}

/** Whether a pattern may match a file in a directory, or the directory itself. */
function mayShare({ base, excludes }: Pattern, directory: string): boolean {
  return !excludes && (isBelow(base, directory) || isBelow(directory, base));
}

/** Whether a step may make a source of another one, which need not exist yet. */
function mayMake(maker: SourceStep, reader: SourceStep): boolean {
  return maker.generates.some(
    ({ base, excludes }) =>
      !excludes && (reader.isSource(base) || reader.sources.some((pattern) => mayShare(pattern, base))),
  );
}

/** Adds the steps that run because of others: the users of their files, and the makers of their outputs. */
function propagate(plan: Plan, steps: readonly SourceStep[]): void {
  const byCheck = new Map(steps.map((step) => [step.check, step]));
  const readsOfFrame = frameReads(plan);
  const run = (step: SourceStep | undefined, reason: string): boolean => {
    if (step === undefined || step.runs !== null) return false;
    step.runs = reason;
    return true;
  };
  const runsAt = (op: Op, index: number): boolean =>
    op.kind === 'run' ? byCheck.get(index - 1)?.runs !== null : op.kind !== 'hook' && op.kind !== 'stop';
  for (let hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (const [at, reader] of steps.entries()) {
      const maker =
        reader.runs === null && steps.slice(0, at).find((each) => each.runs !== null && mayMake(each, reader));
      if (maker) hasChanged = run(reader, `step '${maker.op.name}' generates one of its sources`) || hasChanged;
    }
    const readers = plan.ops.filter(runsAt);
    const frames = new Set([...readers, ...plan.calls].map(({ frame }) => frame));
    const reads = [...readers.flatMap(readsOf), ...[...frames].flatMap(readsOfFrame)];
    for (const { from } of reads)
      if (from !== null) hasChanged = run(byCheck.get(from - 1), 'another step uses one of its outputs') || hasChanged;
  }
}

/** The commands that differ from those of the merge base, or the reason why they cannot be compared. */
async function editedSteps(
  { written, path }: Pick<PreparedRun, 'written' | 'path'>,
  changes: GitChanges,
): Promise<ReadonlySet<number> | string> {
  const name = `${changes.base.slice(0, 12)}:${path}`;
  const pathOf = (file: string): string => (isAbsolute(file) ? file : join(dirname(path), file));
  const files = readFilesAt(changes, [path, ...(written.files ?? []).map((file) => pathOf(file.path))]);
  const bytes = files.get(path);
  if (bytes?.ok !== true) return `cannot read ${name}: ${bytes?.problems.join('; ') ?? 'it is not there'}`;
  const revision = {
    name: changes.base.slice(0, 12),
    read: (file: string) => files.get(file) ?? failure('it is not included now'),
    realPath: (file: string): string => resolve(file),
  };
  const parsed = await parseSide(name, { path, bytes: bytes.value, revision });
  if (!parsed.ok) return `cannot compare with ${name}: ${firstLine(parsed.problems)}`;
  const { workflow, params, segments = [] } = written;
  const { file } = parsed.value;
  const side = { ...parsed.value, file: file && segments.length > 0 ? withSeveral(file, workflow, segments) : file };
  const before = await compileSide(side, workflow, params);
  if (!before.ok) return `cannot compare with ${name}: ${firstLine(before.problems)}`;
  if (before.value === undefined) return `${name} has no workflow '${workflow}'`;
  return changedSteps(before.value.plan, written);
}

function firstLine(problems: readonly Message[]): string {
  return problems.flatMap(messageLines)[0] ?? '';
}
