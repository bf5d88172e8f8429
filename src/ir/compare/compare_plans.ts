import { grouped } from '../../base/keys.ts';
import { type Plan, at } from '../plan.ts';
import { planEntries, type ComparedVariable, type PlanEntry, keyOf } from './plan_entries.ts';
import { matchOps } from '../resume/match_ops.ts';
import type { Decision, RecordedStep } from '../resume/history.ts';
import { createFingerprints, identify, type OpId } from '../steps/identity.ts';

/** A changed field: its name in the file, and its values with secrets masked; null for a missing value. */
export type FieldChange = Readonly<{ field: string; before: string | null; after: string | null }>;

/** A variable with a changed value or source. */
export type VariableChange = Readonly<{
  variable: string;
  before: Readonly<{ value: string; source: string }> | null;
  after: Readonly<{ value: string; source: string }> | null;
}>;

/** The change of a command, call, group or hook. A changed one may also have moved. */
export type StepChange = Readonly<{
  change: 'added' | 'removed' | 'changed' | 'moved';
  kind: PlanEntry['kind'];
  path: string;
  command: string | null;
  moved: boolean;
  fields: readonly FieldChange[];
  variables: readonly VariableChange[];
}>;

/** The differences between two plans of a workflow, in the order of the newer plan. Removed entries come first. */
export function comparePlans(before: Plan, after: Plan): StepChange[] {
  return comparisonOf(before, after).changes();
}

/** The ops of the newer plan that are new or changed commands of steps, other than by another place. */
export function changedSteps(before: Plan, after: Plan): ReadonlySet<number> {
  return comparisonOf(before, after).steps();
}

/** All steps of a plan that exists on one side only. */
export function wholePlan(plan: Plan, change: 'added' | 'removed'): StepChange[] {
  return planEntries(plan)
    .entries.slice(1)
    .map((entry) => describeWhole(entry, change));
}

function comparisonOf(before: Plan, after: Plan) {
  const knownVariables = new Map<string, readonly VariableChange[]>();

  const old = planEntries(before);
  const recent = planEntries(after);
  const matches = matchEntries({ plan: before, ...old }, { plan: after, ...recent });

  function changes(): StepChange[] {
    const kept = new Set(matches.values());
    const moved = movedEntries();
    const removed = old.entries.filter((entry) => !kept.has(entry));
    return [
      ...removed.map((entry) => describeWhole(entry, 'removed')),
      ...recent.entries.flatMap((entry) => changesOf(entry, moved.has(entry))),
    ];
  }

  function steps(): ReadonlySet<number> {
    const changed = new Set<number>();
    for (const entry of recent.entries) {
      if (entry.kind === 'step' && changesOf(entry, false).length > 0) changed.add(entry.index);
    }
    return changed;
  }

  function changesOf(entry: PlanEntry, moved: boolean): StepChange[] {
    const twin = matches.get(entry);
    if (twin === undefined) return [describeWhole(entry, 'added')];
    const fields = changedFields(twin, entry);
    const variables = variableChanges(twin.frame, entry.frame);
    if (fields.length + variables.length > 0) {
      return [{ ...describe(entry, 'changed'), moved, fields, variables }];
    }
    return moved ? [{ ...describe(entry, 'moved'), moved }] : [];
  }

  /** Cached by frames, because many steps share theirs. */
  function variableChanges(before: number | null, after: number | null): readonly VariableChange[] {
    if (before === null || after === null) return [];
    const key = `${before} ${after}`;
    const changes = knownVariables.get(key) ?? changedVariables(old.variablesOf(before), recent.variablesOf(after));
    knownVariables.set(key, changes);
    return changes;
  }

  /** The smallest set of entries that have moved relative to others of the same call. */
  function movedEntries(): ReadonlySet<PlanEntry> {
    const order = new Map(old.entries.map((entry, index) => [entry, index]));
    const siblings = grouped(matches.keys(), ({ parent }) => parent);
    const position = new Map(recent.entries.map((entry, index) => [entry, index]));
    const moved = new Set<PlanEntry>();
    for (const all of siblings.values()) {
      all.sort((one, other) => (position.get(one) ?? 0) - (position.get(other) ?? 0));
      const places = all.map((entry) => order.get(matches.get(entry) ?? entry) ?? 0);
      const inOrder = longestIncreasing(places);
      for (const [index, entry] of all.entries()) if (!inOrder.has(index)) moved.add(entry);
    }
    return moved;
  }

  return { changes, steps };
}

/** An entry without changed fields. */
function describe({ kind, path, command }: PlanEntry, change: StepChange['change']): StepChange {
  return { change, kind, path, command, moved: false, fields: [], variables: [] };
}

/** An entry that exists on one side only, with all its fields except the command, which is shown next to its name. */
function describeWhole(entry: PlanEntry, change: 'added' | 'removed'): StepChange {
  const fields = [...entry.fields].flatMap(([field, { shown: value }]): FieldChange[] => {
    if (field === 'command') return [];
    return [change === 'added' ? { field, before: null, after: value } : { field, before: value, after: null }];
  });
  return { ...describe(entry, change), fields };
}

function changedFields(old: PlanEntry, recent: PlanEntry): FieldChange[] {
  const names = new Set([...old.fields.keys(), ...recent.fields.keys()]);
  const fields = [...names].flatMap((field) => {
    const [before, after] = [old.fields.get(field), recent.fields.get(field)];
    if (before?.text === after?.text) return [];
    return { field, before: before?.shown ?? null, after: after?.shown ?? null };
  });
  // Generated names are not compared.
  return old.name === recent.name ? fields : [{ field: 'name', before: old.name, after: recent.name }, ...fields];
}

function changedVariables(
  old: ReadonlyMap<string, ComparedVariable>,
  recent: ReadonlyMap<string, ComparedVariable>,
): readonly VariableChange[] {
  return [...new Set([...old.keys(), ...recent.keys()])].flatMap((variable) => {
    const [before, after] = [old.get(variable), recent.get(variable)];
    if (before?.text === after?.text && withoutNumber(before) === withoutNumber(after)) return [];
    return { variable, before: shown(before), after: shown(after) };
  });
}

/** A source without the number of its step, which depends on the previous steps. */
function withoutNumber(variable: ComparedVariable | undefined): string | undefined {
  return variable?.source.replace(/ step \d[\d.]*$/, '');
}

function shown(variable: ComparedVariable | undefined): VariableChange['before'] {
  return variable === undefined ? null : { value: variable.shown, source: variable.source };
}

/** The indexes of a longest increasing subsequence of distinct numbers, in O(n log n). */
function longestIncreasing(numbers: readonly number[]): ReadonlySet<number> {
  /** For each length, the index of the smallest last number of a subsequence. */
  const tails: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const [index, number] of numbers.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[tails[middle] ?? 0] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    previous.push(tails[low - 1]);
    tails[low] = index;
  }
  const found = new Set<number>();
  for (let index = tails.at(-1); index !== undefined; index = previous[index]) found.add(index);
  return found;
}

/**
 * The matching entry of an older plan for entries of a newer one. Commands match as in a resumed run, but not in
 * another call or group. Calls and groups match if some of their steps do, or if they have the same identity.
 */
function matchEntries(
  before: Readonly<{ plan: Plan; entries: readonly PlanEntry[] }>,
  after: Readonly<{ plan: Plan; entries: readonly PlanEntry[] }>,
): ReadonlyMap<PlanEntry, PlanEntry> {
  const old = new Map(before.entries.map((entry) => [entry.key, entry]));
  const oldKeys = matchKeys(before.plan, after.plan);
  const matches = new Map<PlanEntry, PlanEntry>();
  const taken = new Set<PlanEntry>();
  const pair = (entry: PlanEntry, key: string | undefined): void => {
    const twin = key === undefined ? undefined : old.get(key);
    if (twin?.kind !== entry.kind || taken.has(twin) || matches.has(entry)) return;
    matches.set(entry, twin);
    taken.add(twin);
  };
  for (const entry of after.entries) pair(entry, oldKeys.get(entry.key));
  for (const entry of after.entries) if (entry.kind !== 'step') pair(entry, entry.key);
  return matches;
}

/** The older key of each command, and of its enclosing calls and groups, by the newer key. */
function matchKeys(before: Plan, after: Plan): ReadonlyMap<string, string> {
  const fingerprintOf = createFingerprints(before);
  const steps: RecordedStep[] = [];
  const decisions: Decision[] = [];
  for (const { kind, index, path: id } of identify(before)) {
    if (kind === 'call') continue;
    const op = at(before.ops, index);
    if (op.kind === 'run') {
      steps.push({
        id,
        name: op.name,
        print: fingerprintOf(op),
        scope: null,
        progress: { kind: 'none' },
        wanted: false,
      });
    } else if (op.kind === 'condition') decisions.push({ id, print: fingerprintOf(op), holds: null });
  }
  const found = matchOps(after, { steps, decisions, cleaned: new Set(), afterAll: null });
  const keys = new Map<string, string>();
  const add = (old: OpId, recent: OpId): void => {
    for (let length = recent.length; length > 0; length -= 1) {
      const key = keyOf(recent.slice(0, length));
      if (!keys.has(key)) keys.set(key, keyOf(old.slice(0, length)));
    }
  };
  for (const [index, { id }] of found.steps) add(id, found.ids.get(index) ?? []);
  for (const [index, { id }] of found.decisions) add(id.slice(0, -1), (found.ids.get(index) ?? []).slice(0, -1));
  return keys;
}
