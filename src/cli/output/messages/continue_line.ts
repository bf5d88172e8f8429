import { isUnnamed } from '../../../base/generated_name.ts';
import { truncateLine } from '../../../base/truncate.ts';

/** The number of steps that are named. */
const NAMED = 3;

type Named = Parameters<typeof isUnnamed>[0] & Readonly<{ command: string }>;

/** The line with the command that continues a run with its failed steps. */
export function continueLine(failed: readonly Named[], command: string): string {
  const names = failed.slice(0, NAMED).map((op) => truncateLine(isUnnamed(op) ? op.command : (op.name ?? '')));
  const others = failed.length > NAMED ? ', …' : '';
  const start = names.length === 0 ? '' : ` with ${names.join(', ')}${others}`;
  return `to continue${start} (finished steps are kept): ${command}`;
}
