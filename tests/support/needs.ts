import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import * as v from 'valibot';
import { ROOT } from './cli.ts';

/**
 * Programs that some tests need in addition to Node.js, npm, bash and git: the Debian package, and the names of its
 * program, of which one is enough.
 */
const PROGRAMS = v.parse(
  v.record(v.string(), v.array(v.string())),
  JSON.parse(readFileSync(join(ROOT, 'tests/support/programs.json'), 'utf8')),
);

/** Options of a test that needs programs. If one is missing, the test is skipped, and the reason names the packages. */
export function needs(...packages: readonly string[]): { readonly skip?: string } {
  const missing = packages.filter((name) => find(name) === undefined);
  return missing.length === 0 ? {} : { skip: `install ${missing.join(', ')}` };
}

/** The path of a package's program. */
export function program(name: string): string {
  const path = find(name);
  if (path === undefined) throw new Error(`${name} is not installed: skip the test with needs('${name}')`);
  return path;
}

function find(name: string): string | undefined {
  const programs = PROGRAMS[name];
  if (programs === undefined) throw new Error(`${name} is not in programs.json`);
  const directories = (process.env['PATH'] ?? '').split(delimiter);
  return programs.flatMap((each) => directories.map((path) => join(path, each))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
