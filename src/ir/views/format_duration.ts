const UNITS = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** A duration in milliseconds as written in a workflow file: `1h30m`, `500ms`. */
export function formatDuration(milliseconds: number): string {
  let left = milliseconds;
  const parts = UNITS.map(([unit, size]) => {
    const count = Math.floor(left / size);
    left -= count * size;
    return count === 0 ? '' : `${count}${unit}`;
  });
  return parts.join('');
}
