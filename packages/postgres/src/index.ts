import { VERSION, type Engine } from '../../../src/internal.ts';
import type { FollowSettings } from './client/follow.ts';
import { queries } from './client/queries.ts';
import { submit } from './client/submit.ts';
import type { LossSettings } from './worker/liveness.ts';
import { work, type OutputSettings } from './worker/worker.ts';

type Settings = FollowSettings & LossSettings & OutputSettings;

const SETTINGS: Settings = { quiet: 10, patience: 600, reminder: 60, recovery: 'in place', maxOutput: 64 };

/** The engine with other settings, for tests. */
export function createEngine(changes: Partial<Settings>): Engine {
  const settings = { ...SETTINGS, ...changes };
  return {
    version: VERSION,
    submit: (submission, printer) => submit(submission, printer, settings),
    work: (worker, printer) => work(worker, printer, settings),
    ...queries(settings),
  };
}

/** The engine that the tool loads. */
export const engine = createEngine({});
