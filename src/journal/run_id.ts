/** Digits of Crockford's base 32, whose order is that of their characters, and of which none looks like another. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * An id for a run that begins now: `yyyymmdd-hhmmss-xxyyy` in UTC, `xx` the milliseconds and `yyy` random digits. So
 * the order of ids is that of time, and the last five letters tell runs apart.
 */
export function createRunId(now: Date, random: () => number): string {
  const [day = '', time = ''] = now.toISOString().split(/[T.]/);
  const noise = Math.floor(random() * 32 ** 3);
  const letters = digits(now.getUTCMilliseconds(), 2) + digits(noise, 3);
  return `${day.replaceAll('-', '')}-${time.replaceAll(':', '')}-${letters}`;
}

function digits(value: number, count: number): string {
  return Array.from({ length: count }, (_, index) => DIGITS[Math.floor(value / 32 ** (count - 1 - index)) % 32]).join(
    '',
  );
}

/** Whether a name of a folder is an id. */
export function isRunId(name: string): boolean {
  return /^\d{8}-\d{6}-[0-9a-z]{5}$/.test(name);
}

/** The ids that a text means: that id itself, or those that end in its five letters. */
export function findRuns(ids: readonly string[], text: string): readonly string[] {
  return ids.filter((id) => id === text || (text.length === 5 && id.endsWith(`-${text}`)));
}
