import { matchOps } from '../resume/match_ops.ts';
import type { Decision, RecordedStep } from '../resume/history.ts';
import { at, type Plan } from '../plan.ts';
import { createFingerprints, identify, type OpId } from '../steps/identity.ts';
import { keyOf, type PlanEntry } from './plan_entries.ts';

/**
 * The matching entry of an older plan for entries of a newer one. Commands match as in a resumed run, but not in
 * another call or group. Calls and groups match if some of their steps do, or if they have the same identity.
 */
export function matchEntries(
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
