import type { Engine } from '../../../src/driver/remote/engine.ts';
import { VERSION } from '../../../src/version.ts';
import { queries } from './queries.ts';
import { submit } from './submit.ts';
import { work } from './worker.ts';

/** The package, as the tool loads it. */
export const engine: Engine = { version: VERSION, submit, work, ...queries };
