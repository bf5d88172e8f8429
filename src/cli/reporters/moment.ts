/** A time of the wall clock and of the monotonic clock, in milliseconds. */
export type Moment = Readonly<{ wall: number; steady: number }>;

/** Not `performance.now()`, whose first use loads a module. */
export function now(): Moment {
  return { wall: Date.now(), steady: Number(process.hrtime.bigint() / 1000n) / 1000 };
}

export function times(start: Moment, end: Moment): { start: string; end: string; duration_ms: number } {
  const iso = ({ wall }: Moment): string => new Date(wall).toISOString();
  return { start: iso(start), end: iso(end), duration_ms: Math.round(end.steady - start.steady) };
}
