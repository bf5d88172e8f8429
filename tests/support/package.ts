import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { ROOT } from './cli.ts';

const Package = v.object({
  name: v.string(),
  version: v.string(),
  homepage: v.pipe(v.string(), v.endsWith('#readme')),
});

const { name, version, homepage } = v.parse(Package, JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

export const VERSION = version;

/** The file written by `npm pack`. */
export const TARBALL = `${name}-${version}.tgz`;

/** The address of the repository. */
export const REPOSITORY = homepage.replace('#readme', '');
