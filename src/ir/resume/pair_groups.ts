import { grouped } from '../../base/keys.ts';
import { isUnnamedGroup } from '../steps/identity.ts';

/** A group in the tree of calls, with its members by their segments. */
type Group = Readonly<{ segment: string; children: ReadonlyMap<string, unknown> }>;

/**
 * Pairs the unnamed groups of an edited plan with the recorded ones: first those with the most members in common, and of
 * several, those with the same number. Groups without a common member stay alone.
 */
export function pairGroups<Old extends Group, New extends Group>(
  olds: readonly Old[],
  recents: readonly New[],
  pair: (old: Old, recent: New) => void,
): void {
  const before = new Map(olds.filter(isGroup).map((old) => [old.segment, old]));
  if (before.size === 0) return;
  const after = new Set(recents.filter(isGroup));
  // No other group can have more in common. Many groups with the same members would otherwise be compared in pairs.
  for (const recent of after) {
    const old = before.get(recent.segment);
    if (old === undefined || !hasSameMembers(old, recent)) continue;
    pair(old, recent);
    before.delete(old.segment);
    after.delete(recent);
  }
  const members = [...before.values()].flatMap((old) => [...old.children.keys()].map((member) => ({ member, old })));
  const owners = grouped(members, ({ member }) => member);
  const found = [...after].flatMap((recent) => {
    const common = new Map<Old, number>();
    for (const member of recent.children.keys()) {
      for (const { old } of owners.get(member) ?? []) common.set(old, (common.get(old) ?? 0) + 1);
    }
    return [...common].map(([old, count]) => ({ old, recent, count, same: old.segment === recent.segment ? 1 : 0 }));
  });
  for (const { old, recent } of found.toSorted((one, other) => other.count - one.count || other.same - one.same)) {
    if (!before.has(old.segment) || !after.has(recent)) continue;
    pair(old, recent);
    before.delete(old.segment);
    after.delete(recent);
  }
}

function isGroup({ segment }: Group): boolean {
  return isUnnamedGroup(segment);
}

function hasSameMembers(one: Group, other: Group): boolean {
  return one.children.size === other.children.size && [...one.children.keys()].every((key) => other.children.has(key));
}
