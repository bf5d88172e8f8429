/** The longest that a file may ask for: a day, in milliseconds. */
const LONGEST = 24 * 60 * 60 * 1000;

const FORM = /^(?=\d)(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/;

/** The milliseconds of a duration such as `1h30m`, `500ms`; undefined if it is none, or none from 1 ms to 24 h. */
export function millisecondsOf(text: string): number | undefined {
  const found = FORM.exec(text);
  if (found === null) return undefined;
  const [hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = found.slice(1).map((digits) => Number(digits ?? 0));
  const all = ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds;
  return all > 0 && all <= LONGEST ? all : undefined;
}

/** The milliseconds of a text that is known to be a duration. */
export function durationOf(text: string): number {
  const milliseconds = millisecondsOf(text);
  if (milliseconds === undefined) throw new Error('a duration was not checked');
  return milliseconds;
}
