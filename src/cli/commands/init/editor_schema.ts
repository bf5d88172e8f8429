import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { schemaVersion } from '../../driver/stale_schema.ts';
import { jsonSchema } from '../../../frontend/json_schema/json_schema.ts';

/** The schema of an installed package. */
const INSTALLED = 'node_modules/workflow-plan/dist/schema.json';

/**
 * The value of `$schema` for a new file: the schema of the installed package, or else a copy in the directory of the
 * file, if that is `.cli`. Undefined if there is neither. `copy` is the path of a copy to write.
 */
export function editorSchema(file: string): Readonly<{ reference: string | undefined; copy?: string }> {
  const directory = dirname(file);
  if (existsSync(INSTALLED)) return { reference: relative(directory, INSTALLED) };
  if (basename(directory) !== '.cli') return { reference: undefined };
  const copy = join(directory, 'schema.json');
  if (!existsSync(copy)) return { reference: './schema.json', copy };
  return { reference: schemaVersion(copy) === undefined ? undefined : './schema.json' };
}

/** Writes a copy of the schema. Returns the problem, if any. */
export function writeSchema(path: string): string | undefined {
  const text = `${JSON.stringify(jsonSchema(), undefined, 2)}\n`;
  const problem = trySystemCall((): undefined => {
    writeFileSync(path, text, { flag: 'wx' });
  });
  return problem === undefined ? undefined : `${path}: ${problem}`;
}
