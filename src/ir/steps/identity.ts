import { isUnnamed } from '../../base/generated_name.ts';
import type { StepOptions } from '../../frontend/schema/option_fields.ts';
import { conditionParts, isCheck, onceCheckOf } from '../ops.ts';
import { settingsOf } from '../environment.ts';
import { secretNames } from '../secret_names.ts';
import { splice } from '../output_variables.ts';
import { at, type ConditionOp, type OutputRead, type Plan, type RunOp } from '../plan.ts';
import { combinationSuffix } from './step_number.ts';
import { digest } from './digest.ts';
import { createSecretCopies } from './secret_copies.ts';
import { ownName, stepPaths, suffixOf, type Labels, type PathEntry, type StepPath } from './step_paths.ts';

/**
 * The id of an op in the journal: segments from the requested workflow down, which stay the same when other parts of
 * the file are edited. The id of a condition ends in `if`, and that of a check in
 * `stale` or `first`; a hook of the file has the id `hook:NAME`, and that of a
 * workflow ends in `own:NAME`.
 */
export type OpId = readonly string[];

/**
 * The parts of a step that determine its result: its command, directory and outputs as written, and a digest of each
 * variable that the command mentions and that the file or a parameter sets. Secret variables are left out. `copies` are
 * the numbers of secret values in the matrices of the step and of the calls around it, absent if there are none.
 */
export type Fingerprint = Readonly<{
  command: string;
  errexit?: true;
  dir: string | null;
  outputs: StepOptions['outputs'];
  vars: readonly (readonly [name: string, digest: string])[];
  copies?: readonly number[];
}>;

/** A text that is the same for equal prints. Records may have the fields of a print in another order. */
export function fingerprintKey({ command, errexit, dir, outputs, vars, copies }: Fingerprint): string {
  return JSON.stringify([command, errexit, dir, outputs, vars, copies]);
}

/** Whether a segment belongs to a command without a name. */
export function isUnnamedCommand(segment: string): boolean {
  return /^(?:\d+\.)?run:/.test(segment);
}

/** Whether a segment belongs to a group without a name. */
export function isUnnamedGroup(segment: string): boolean {
  return /^(?:\d+\.)?parallel$/.test(segment);
}

/** The last segment of an id, without the number of a repeated one. */
export function ownSegment(id: OpId): string {
  return unnumbered(id.at(-1) ?? '');
}

/** A segment without the positions of secret values, which mean other values if their number has changed. */
export function withoutPositions(segment: string, { copies }: Fingerprint): string {
  return copies === undefined ? segment : segment.replaceAll(/#\d+/g, '#');
}

function unnumbered(segment: string): string {
  return segment.replace(/^\d+\./, '');
}

/** Whether a segment belongs to a step with a name. */
export function isNamed(segment: string): boolean {
  return unnumbered(segment).startsWith('name:');
}

/**
 * Whether a step with an id may be defined by a workflow. The workflow of a named call is not part of an id, and nor is
 * the difference between a named call and a named group.
 */
export function mayBeIn(workflow: string, id: OpId, requested: string): boolean {
  const enclosing = id.slice(0, -1).findLast((segment) => !isUnnamedGroup(segment));
  if (enclosing === undefined) return workflow === requested;
  const called = unnumbered(enclosing);
  return isNamed(called) || called === `call:${workflow}` || called.startsWith(`call:${workflow} (`);
}

const SEGMENTS: Labels = {
  command: (op) => (isUnnamed(op) ? `run:${digest(op.command)}${combinationSuffix(op.step)}` : `name:${op.name}`),
  call: (call) => {
    const name = ownName(call);
    return name === undefined ? `call:${call.workflow}${suffixOf(call)}` : `name:${name}`;
  },
  group: (op) => (isUnnamed(op) ? 'parallel' : `name:${op.name}`),
  hook: ({ hook, call }) => (call === undefined ? `hook:${hook}` : `own:${hook}`),
};

/** Yields every op and call of a plan with its id, in order. */
export function* identify(plan: Plan): Generator<PathEntry> {
  for (const entry of stepPaths(plan, SEGMENTS)) {
    const op = entry.kind === 'condition' ? at(plan.ops, entry.index) : undefined;
    yield op?.kind === 'condition' ? { ...entry, path: [...entry.path, conditionParts(op.test).id] } : entry;
  }
}

/**
 * A function for the paths of a plan's ops, such as their ids, as a run reaches them. Without groups, whose branches run
 * concurrently, indexes must not decrease between calls: paths of earlier ops are not kept.
 */
export function pathsOf(plan: Plan, entries: Generator<PathEntry>): (index: number) => StepPath {
  const passed = plan.ops.some(({ kind }) => kind === 'parallel') ? new Map<number, StepPath>() : undefined;
  let last: PathEntry | undefined;
  return (index) => {
    const known = passed?.get(index);
    if (known !== undefined) return known;
    while (last === undefined || last.kind === 'call' || last.index < index) {
      const { value, done } = entries.next();
      if (done === true) throw new Error(`the plan has no entry ${index}`);
      last = value;
      if (value.kind !== 'call') passed?.set(value.index, value.path);
    }
    if (last.index !== index) throw new Error(`op ${index} lies before the cursor`);
    return last.path;
  };
}

/**
 * Returns a function for the prints of a plan's steps and conditions. It is fastest if called in the order of the plan:
 * see `settingsOf`.
 */
export function createFingerprints(plan: Plan): (op: RunOp | ConditionOp) => Fingerprint {
  const settings = settingsOf(plan);
  const set = new Set([...plan.params, ...plan.frames.flatMap(({ vars }) => vars)].map(([name]) => name));
  const isSecretName = secretNames(plan);
  const copiesOf = createSecretCopies(plan);
  const guarded = new Map(guardedByChecks(plan));
  return (given) => {
    const op = (given.kind === 'condition' ? guarded.get(given) : undefined) ?? given;
    if (op.kind === 'call') return { command: op.workflow, dir: null, outputs: [], vars: [] };
    const { code: text, reads } = op.kind === 'run' ? { code: op.command, reads: op.reads } : conditionParts(op.test);
    const names = set.size === 0 ? [] : mentioned(text, reads).filter((name) => set.has(name) && !isSecretName(name));
    const values = names.length === 0 ? NO_SETTINGS : settings(op.frame);
    const vars = names.flatMap((name) => {
      const setting = values.get(name);
      return setting === undefined ? [] : [[name, digest(setting.value)] as const];
    });
    const errexit = op.kind === 'run' && op.errexit === true ? { errexit: true as const } : {};
    const outputs = op.kind === 'run' ? op.options.outputs : [];
    const copies = copiesOf(op);
    return { command: text, ...errexit, dir: op.dir, outputs, vars, ...(copies.length > 0 && { copies }) };
  };
}

/** The checks of a plan with what they guard: the print of a check is that of a command, or names a workflow. */
function* guardedByChecks({ ops, calls }: Plan): Generator<readonly [ConditionOp, RunOp | GuardedCall]> {
  for (const [index, op] of ops.entries()) {
    const next = ops[index + 1];
    if (isCheck(op) && op.test.kind === 'stale' && next?.kind === 'run') yield [op, next];
  }
  for (const call of calls) {
    const op = ops[onceCheckOf({ ops }, call) ?? -1];
    if (isCheck(op)) yield [op, { kind: 'call', workflow: call.workflow }];
  }
}

type GuardedCall = Readonly<{ kind: 'call'; workflow: string }>;

const NO_SETTINGS: ReturnType<ReturnType<typeof settingsOf>> = new Map();

/** The words of a command that may be variable names, each once, without the contents of references. */
function mentioned(text: string, reads: readonly OutputRead[]): readonly string[] {
  const code = reads.length === 0 ? text : splice(text, reads, () => ' ');
  return [...new Set(code.match(/[A-Za-z_][A-Za-z0-9_]*/g))];
}

/** A difference between two prints: a field, or a variable. */
export type FingerprintChange = Readonly<
  { kind: 'command' | 'dir' | 'outputs' | 'copies' } | { kind: 'variable'; name: string }
>;

/** The differences between two prints of a step, empty if there are none. */
export function fingerprintChanges(before: Fingerprint, after: Fingerprint): readonly FingerprintChange[] {
  const fields = (['command', 'dir', 'outputs', 'copies'] as const)
    .filter((field) => {
      const isOther = field === 'command' && before.errexit !== after.errexit;
      return isOther || JSON.stringify(before[field]) !== JSON.stringify(after[field]);
    })
    .map((kind) => ({ kind }));
  // A variable that only one of the commands mentions is part of the change of the command.
  const [old, recent] = [new Map(before.vars), new Map(after.vars)];
  const names = before.command === after.command ? new Set([...old.keys(), ...recent.keys()]) : new Set<string>();
  const variables = [...names].filter((name) => old.get(name) !== recent.get(name));
  return [...fields, ...variables.map((name) => ({ kind: 'variable', name }) as const)];
}
