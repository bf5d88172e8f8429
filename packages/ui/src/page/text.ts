import { formatElapsed, SIGNS, type RecordedOp } from '../../../../src/internal.ts';

/** The sign of a step's state. */
export function signOf(state: RecordedOp['status']): string {
  return state === 'running' ? '▸' : SIGNS[state];
}

/** The result of a step as text. */
export function resultOf({ status, exit_code: code, attempts, allowed, reason }: RecordedOp): string {
  const exit = status === 'failed' && code !== null ? `exit code ${code}` : status;
  const why = reason === null ? '' : `: ${reason}`;
  return `${exit}${allowed ? ' (allowed)' : ''}${attempts > 1 ? `, ${attempts} attempts` : ''}${why}`;
}

/** A time in the zone of the browser. */
export function moment(time: string | null): string {
  return time === null || time === '' ? '' : new Date(time).toLocaleString('sv-SE');
}

/** The time between two moments; that of a run that goes on is not known. */
export function between(start: string | null, end: string | null): string {
  return start === null || end === null ? '' : formatElapsed(Date.parse(end) - Date.parse(start));
}
