import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
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

const README = join(ROOT, 'README.md');

/** The size of each artefact in README.md. */
const STATED = {
  package: { pattern: /\d+(?= KB, no dependencies)/, unit: 1000 },
  executable: { pattern: /\d+(?= MB that does not need Node\.js)/, unit: 1_000_000 },
} as const;

/** Compares the size of an artefact with README.md, with a tolerance of 5 %. `UPDATE_DOCS=1` writes the actual size. */
export function checkStatedSize(artefact: keyof typeof STATED, path: string): void {
  const { pattern, unit } = STATED[artefact];
  const actual = Math.round(statSync(path).size / unit);
  const text = readFileSync(README, 'utf8');
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(README, text.replace(pattern, String(actual)));
  else {
    const stated = Number(pattern.exec(text)?.[0]);
    const message = `README.md says ${stated} for the ${artefact}, not ${actual}. If this is worth its size: npm run sizes`;
    assert.ok(Math.abs(actual / stated - 1) <= 0.05, message);
  }
}
