/** The longest duration: a day, in milliseconds. */
const LONGEST = 24 * 60 * 60 * 1000;

const FORM = /^(?=\d)(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/;

/** Parses a duration such as `1h30m` or `500ms` to milliseconds. Undefined if it is malformed, zero or over 24 h. */
export function millisecondsOf(text: string): number | undefined {
  const found = FORM.exec(text);
  if (found === null) return undefined;
  const [hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = found.slice(1).map((digits) => Number(digits ?? 0));
  const all = ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds;
  return all > 0 && all <= LONGEST ? all : undefined;
}

/** Parses a valid duration to milliseconds. */
export function durationOf(text: string): number {
  const milliseconds = millisecondsOf(text);
  if (milliseconds === undefined) throw new Error('the duration was not checked');
  return milliseconds;
}
