/** An item of two sequences: in both, only in the first, or only in the second. */
export type Edit<Item> = Readonly<{ kind: 'same' | 'removed' | 'added'; item: Item }>;

/** Maximum number of edits to search for. The time is quadratic in their number. */
const MAX_EDITS = 2000;

/**
 * A shortest list of edits from one sequence to another, by the keys of their items (E. W. Myers, "An O(ND) Difference
 * Algorithm", 1986). Unchanged items are those of the second sequence. Sequences with more than 2,000 edits are
 * replaced completely, except for a common prefix and suffix.
 */
export function editScript<Item>(
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => string,
): Edit<Item>[] {
  const [old, recent] = [before.map(keyOf), after.map(keyOf)];
  let start = 0;
  while (start < Math.min(old.length, recent.length) && old[start] === recent[start]) start += 1;
  let tail = 0;
  const shortest = Math.min(old.length, recent.length) - start;
  while (tail < shortest && old[old.length - 1 - tail] === recent[recent.length - 1 - tail]) tail += 1;
  const [oldEnd, newEnd] = [old.length - tail, recent.length - tail];
  const kinds = middle(old.slice(start, oldEnd), recent.slice(start, newEnd));
  const [olds, recents] = [before.slice(start, oldEnd).values(), after.slice(start).values()];
  const edits: Edit<Item>[] = after.slice(0, start).map((item) => ({ kind: 'same', item }));
  for (const kind of [...kinds, ...Array.from({ length: tail }, () => 'same' as const)]) {
    const removed = kind === 'added' ? undefined : olds.next();
    const { value, done } = kind === 'removed' && removed !== undefined ? removed : recents.next();
    if (done !== true) edits.push({ kind, item: value });
  }
  return edits;
}

/** The kinds of the edits between two sequences without a common prefix and suffix. */
function middle(old: readonly string[], recent: readonly string[]): Edit<unknown>['kind'][] {
  const replaced = [...old.map(() => 'removed' as const), ...recent.map(() => 'added' as const)];
  if (old.length === 0 || recent.length === 0) return replaced;
  /**
   * After each number of edits: the furthest index in `old` on each diagonal (index in `old` minus index in `recent`).
   */
  const rounds: Map<number, number>[] = [];
  let furthest = new Map([[1, 0]]);
  for (let edits = 0; edits <= Math.min(MAX_EDITS, old.length + recent.length); edits += 1) {
    rounds.push(furthest);
    const next = new Map<number, number>();
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = firstIndex(furthest, diagonal, edits);
      while (x < old.length && x - diagonal < recent.length && old[x] === recent[x - diagonal]) x += 1;
      next.set(diagonal, x);
      if (x >= old.length && x - diagonal >= recent.length) return pathBack(rounds, x, diagonal);
    }
    furthest = next;
  }
  return replaced;
}

/** The start index on a diagonal, reached from the one above by an addition, or from the one below by a removal. */
function firstIndex(furthest: ReadonlyMap<number, number>, diagonal: number, edits: number): number {
  return isAddition(furthest, diagonal, edits)
    ? (furthest.get(diagonal + 1) ?? 0)
    : (furthest.get(diagonal - 1) ?? 0) + 1;
}

function isAddition(furthest: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean {
  if (diagonal === -edits) return true;
  return diagonal !== edits && (furthest.get(diagonal - 1) ?? -1) < (furthest.get(diagonal + 1) ?? -1);
}

function pathBack(
  rounds: readonly ReadonlyMap<number, number>[],
  x: number,
  diagonal: number,
): Edit<unknown>['kind'][] {
  const kinds: Edit<unknown>['kind'][] = [];
  let [end, line] = [x, diagonal];
  for (let edits = rounds.length - 1; edits >= 0; edits -= 1) {
    const furthest = rounds[edits] ?? new Map<number, number>();
    const first = firstIndex(furthest, line, edits);
    for (; end > first; end -= 1) kinds.push('same');
    if (edits === 0) break;
    const added = isAddition(furthest, line, edits);
    kinds.push(added ? 'added' : 'removed');
    line += added ? 1 : -1;
    end = added ? first : first - 1;
  }
  return kinds.toReversed();
}
