import type { Engine } from '../../../src/driver/remote/engine.ts';
import { VERSION } from '../../../src/version.ts';
import { queries } from './client/queries.ts';
import { submit } from './client/submit.ts';
import { work } from './worker/worker.ts';

/** The package's only export, which the tool loads. */
export const engine: Engine = { version: VERSION, submit, work, ...queries };
