import type { Outcome } from '../../../backend/run_event.ts';
import { shellWord } from '../../../base/shell_word.ts';

/** The treatment by the next resume of steps that count as failed because they ran when the run was killed. */
export function lostSteps({ steps }: Outcome): readonly string[] {
  const lost = steps.filter(({ exit }) => exit.kind === 'not started' && exit.isLost === true);
  return lost.map(
    ({ op: { name } }) => `this runs step '${name}' again; if it has finished, add --done ${shellWord(name)}`,
  );
}
