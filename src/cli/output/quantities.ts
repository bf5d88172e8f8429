/** A measured duration, such as `12 ms` or `3 min 5 s`. */
export function formatElapsed(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const [minutes, seconds] = [Math.floor(ms / 60_000), Math.floor(ms / 1000) % 60];
  return minutes < 60 ? `${minutes} min ${seconds} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A usual duration, in whole seconds from a second on: `12 s`, `5 min 40 s`, `2 min`. */
export function formatUsual(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const [large, small, units] =
    seconds < 3600
      ? [Math.floor(seconds / 60), seconds % 60, ['min', 's']]
      : [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, ['h', 'min']];
  return `${large} ${units[0]}${small === 0 ? '' : ` ${small} ${units[1]}`}`;
}

/** An age in the largest unit that is reached: `34s`, `9m`, `5h`, `12d`. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** `1 step`, `2 steps`. */
export function formatStepCount(count: number): string {
  return `${count} step${count === 1 ? '' : 's'}`;
}
