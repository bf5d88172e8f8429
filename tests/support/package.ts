import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { ROOT } from './cli.ts';

const Package = v.object({ version: v.string() });

/** The version that package.json names. */
export const VERSION = v.parse(Package, JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))).version;
