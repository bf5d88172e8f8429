import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trySystemCall } from './try_system_call.ts';

/** Creates a directory for temporary files. Throws an error of the system that names the place. */
export function makeTemporaryDirectory(prefix: string): string {
  const place = tmpdir();
  const made = trySystemCall(() => ({ path: mkdtempSync(join(place, prefix)) }));
  if (typeof made !== 'string') return made.path;
  const message = `no directory can be created in ${place}: ${made}; set TMPDIR to another one`;
  throw Object.assign(new Error(message), { code: 'TMPDIR' });
}
