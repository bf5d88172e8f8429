/** A measured duration, such as `12 ms` or `3 min 5 s`. */
export function formatElapsed(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const [minutes, seconds] = [Math.floor(ms / 60_000), Math.floor(ms / 1000) % 60];
  return minutes < 60 ? `${minutes} min ${seconds} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `1 step`, `2 steps`. */
export function formatStepCount(count: number): string {
  return `${count} step${count === 1 ? '' : 's'}`;
}
