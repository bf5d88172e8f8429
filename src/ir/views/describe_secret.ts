import type { PlanSecret, SecretProgram } from '../plan.ts';
import { formatDuration } from './format_duration.ts';
import { formatOutputSource } from './format_json_path.ts';

/** A secret as text: its name and its source. */
export function describeSecret({ name, source }: PlanSecret): string {
  return source === null ? name : `${name} from ${describeProgram(source)}`;
}

/** A program with its arguments as JSON, the part of its output, and its time limit. */
function describeProgram({ command, value, timeout }: SecretProgram): string {
  const part = value === 'text' ? '' : ` at ${formatOutputSource(value)}`;
  return `${JSON.stringify(command)}${part}, at most ${formatDuration(timeout)}`;
}
