/** The name of a bare loop that appends a line to a file before each step, and syncs it. */
export const SYNCED = 'spawn in Node.js, synced';

/**
 * The CPU time of a run's record in ms, from the rows of the case 'journal': `start` includes the record of the first
 * step, `step` is that of a further step, and `sync` that of a synced line in a bare loop over spawn. `empty` is the time
 * of `node -e 0`. Undefined without the rows. `kind` is empty or ' (standalone)'.
 */
export function recordCost(rows, kind) {
  const msOf = (name) => rows?.find((row) => row.name === name)?.ms;
  const costOf = (name) => msOf(`cli ${name}, recorded${kind}`) - msOf(`cli ${name}${kind}`);
  const [empty, bare, synced] = ['node -e 0', 'spawn in Node.js', SYNCED].map(msOf);
  if (bare === undefined || synced === undefined) return undefined;
  const start = costOf('1 step');
  return { start, step: (costOf('1,000 steps') - start) / 999, sync: (synced - bare) / 1000, empty };
}
