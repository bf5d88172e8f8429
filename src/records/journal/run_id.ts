/** Digits of Crockford's base 32. Their order is that of their character codes, and no two look alike. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Creates an id for a run: `yyyymmdd-hhmmss-xxyyy` in UTC, where `xx` encodes the milliseconds and `yyy` is random. Ids
 * sort by time, and the last five characters distinguish runs.
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

/** A time after that of an id, in milliseconds since 1970; NaN if the id contains no time. */
export function timeAfter(id: string): number {
  const [, year, month, day, hour, minute, second, high = '', low = ''] =
    /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-(.)(.)...$/.exec(id) ?? [];
  const milliseconds = DIGITS.indexOf(high) * 32 + DIGITS.indexOf(low);
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) + milliseconds + 1;
}

/**
 * Whether a text can be the id of a run on another machine, which may be chosen, a tag, a lock or the name of a worker:
 * the name of a file, and no flag.
 */
export function isRemoteName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);
}

/** Whether a text is an id that `createRunId` may have created, as those of recorded runs are. */
export function isRunId(name: string): boolean {
  return /^\d{8}-\d{6}-[0-9a-z]{5}$/.test(name);
}

/** The ids that match a text: a full id, or the last five characters of one. */
export function findRuns(ids: readonly string[], text: string): readonly string[] {
  return ids.filter((id) => id === text || (text.length === 5 && id.endsWith(`-${text}`)));
}
