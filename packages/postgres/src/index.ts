import type { Engine } from '../../../src/driver/remote/engine.ts';
import { VERSION } from '../../../src/version.ts';
import { queries } from './queries.ts';
import { submit } from './submit.ts';
import { work } from './worker.ts';

/** The package's only export, which the tool loads. */
export const engine: Engine = { version: VERSION, submit, work, ...queries };
