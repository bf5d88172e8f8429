import type { RecordedRuns } from '../../../../src/internal.ts';
import type { Call } from '../approval/person.ts';
import { endedCommands } from '../results/run_view.ts';

/** How often the record of a run is looked at, in milliseconds. */
const LOOK = 50;

/** Waits until a condition holds, for a number of seconds at most, or until the call is cancelled. */
export async function waitFor(holds: () => boolean, seconds: number, signal: AbortSignal): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!signal.aborted && performance.now() < end && !holds()) {
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
}

/** A function that tells a call of each command of a run that has ended since the function was made. */
export function progressOf(runs: RecordedRuns, id: string, { onEnded }: Call): () => void {
  const count = (): number => endedCommands(runs.document(id)?.ops ?? []);
  let [told, mark] = [count(), runs.mark(id)];
  const before = told;
  return () => {
    const now = runs.mark(id);
    if (now === mark) return;
    mark = now;
    for (const all = count(); told < all; told += 1) onEnded(told - before + 1);
  };
}
