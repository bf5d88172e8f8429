import type { StepOptions } from '../../frontend/ast.ts';
import type { StepNumber } from '../../frontend/diagnostics/diagnostic.ts';
import { settingsOf } from '../environment.ts';
import { secretNames } from '../mask.ts';
import { splice } from '../output_variables.ts';
import type { Call, ConditionOp, OutputRead, Plan, RunOp } from '../plan.ts';
import { combinationSuffix } from '../step_number.ts';
import { digest } from './digest.ts';
import { stepPaths, type Labels, type PathEntry } from './step_paths.ts';

/**
 * What an op is called in the journals of its runs: segments from the workflow asked for down, which outlive edits of
 * the file around it. A condition's ends in `if`; that of a hook is `hook:NAME`.
 */
export type OpId = readonly string[];

/**
 * What of a step decides its result: its command, folder and outputs as written, and a digest of each variable that
 * the file or a parameter sets, whose name is a word of the command, and is no secret one.
 */
export type Print = Readonly<{
  command: string;
  errexit?: true;
  dir: string | null;
  outputs: StepOptions['outputs'];
  vars: readonly (readonly [name: string, digest: string])[];
}>;

/** The name that a step without one gets. */
function generatedName(step: StepNumber): string {
  return `step_${step}`;
}

/** Whether a segment is that of a command without a name. */
export function isUnnamedCommand(segment: string): boolean {
  return /^(?:\d+\.)?run:/.test(segment);
}

const SEGMENTS: Labels = {
  command: ({ name, step, command }) =>
    name === generatedName(step) ? `run:${digest(command)}${combinationSuffix(step)}` : `name:${name}`,
  call: (call) => {
    const name = ownName(call);
    return name === undefined ? `call:${call.workflow}${suffixOf(call)}` : `name:${name}`;
  },
  group: ({ name, step }) => (name === generatedName(step) ? 'parallel' : `name:${name}`),
};

/** The names by which people know steps: a call without one goes by its workflow. */
export const NAMES: Labels = {
  command: ({ name }) => name,
  call: (call) => ownName(call) ?? `${call.workflow}${suffixOf(call)}`,
  group: ({ name }) => name,
};

function suffixOf({ from }: Call): string {
  return from === null ? '' : combinationSuffix(from.step);
}

function ownName({ from }: Call): string | undefined {
  return from === null || from.name === generatedName(from.step) ? undefined : from.name;
}

/** Every op and call of a plan with its id, in order. */
export function* identify(plan: Plan): Generator<PathEntry> {
  for (const entry of stepPaths(plan, SEGMENTS)) {
    yield entry.kind === 'condition' ? { ...entry, path: [...entry.path, 'if'] } : entry;
  }
}

/**
 * The ids of a plan's ops, computed as a run comes to them. Nothing is kept of those that it has passed, unless the
 * branches of a group run side by side.
 */
export class IdCursor {
  readonly #entries: Generator<PathEntry>;
  readonly #passed: Map<number, OpId> | undefined;
  #last: PathEntry | undefined;

  constructor(plan: Plan) {
    this.#entries = identify(plan);
    this.#passed = plan.ops.some(({ kind }) => kind === 'parallel') ? new Map() : undefined;
  }

  /** The id of the op at an index. Without groups, it must not lie before the one asked for last. */
  at(index: number): OpId {
    const passed = this.#passed?.get(index);
    if (passed !== undefined) return passed;
    while (this.#last === undefined || this.#last.kind === 'call' || this.#last.index < index) {
      const { value, done } = this.#entries.next();
      if (done === true) throw new Error(`the plan has no entry ${index}`);
      this.#last = value;
      if (value.kind !== 'call') this.#passed?.set(value.index, value.path);
    }
    if (this.#last.index !== index) throw new Error(`op ${index} lies before the cursor`);
    return this.#last.path;
  }
}

/** Makes the prints of a plan's steps and conditions. Ops are best asked for in order: see `settingsOf`. */
export function createPrints(plan: Plan): (op: RunOp | ConditionOp) => Print {
  const settings = settingsOf(plan);
  const set = new Set([...plan.params, ...plan.frames.flatMap(({ vars }) => vars)].map(([name]) => name));
  const isSecretName = secretNames(plan);
  return (op) => {
    const { text, reads } = commandOf(op);
    const names = set.size === 0 ? [] : mentioned(text, reads).filter((name) => set.has(name) && !isSecretName(name));
    const values = names.length === 0 ? NO_SETTINGS : settings(op.frame);
    const vars = names.flatMap((name) => {
      const setting = values.get(name);
      return setting === undefined ? [] : [[name, digest(setting.value)] as const];
    });
    const errexit = op.kind === 'run' && op.errexit === true ? { errexit: true as const } : {};
    return { command: text, ...errexit, dir: op.dir, outputs: op.kind === 'run' ? op.options.outputs : [], vars };
  };
}

const NO_SETTINGS: ReturnType<ReturnType<typeof settingsOf>> = new Map();

function commandOf(op: RunOp | ConditionOp): Readonly<{ text: string; reads: readonly OutputRead[] }> {
  if (op.kind === 'run') return { text: op.command, reads: op.reads };
  return op.test.kind === 'variable'
    ? { text: op.test.name, reads: [] }
    : { text: op.test.command, reads: op.test.reads };
}

/** The words of a command that may be names of variables, each once; the inside of a reference is none. */
function mentioned(text: string, reads: readonly OutputRead[]): readonly string[] {
  const code = reads.length === 0 ? text : splice(text, reads, () => ' ');
  return [...new Set(code.match(/[A-Za-z_][A-Za-z0-9_]*/g))];
}

/** What differs between two prints of a step: fields, and names of variables. */
export type PrintChange = Readonly<{ kind: 'command' | 'dir' | 'outputs' } | { kind: 'variable'; name: string }>;

/** What has changed from one print of a step to another; empty if nothing has. */
export function printChanges(before: Print, after: Print): readonly PrintChange[] {
  const fields = (['command', 'dir', 'outputs'] as const)
    .filter((field) => {
      const isOther = field === 'command' && before.errexit !== after.errexit;
      return isOther || JSON.stringify(before[field]) !== JSON.stringify(after[field]);
    })
    .map((kind) => ({ kind }));
  // A variable that only one of two commands mentions is part of the change of the command.
  const [old, recent] = [new Map(before.vars), new Map(after.vars)];
  const names = before.command === after.command ? new Set([...old.keys(), ...recent.keys()]) : new Set<string>();
  const variables = [...names].filter((name) => old.get(name) !== recent.get(name));
  return [...fields, ...variables.map((name) => ({ kind: 'variable', name }) as const)];
}
