import { dirname, join } from 'node:path';
import { redactPath } from '../command_line/redact.ts';
import { SCHEMA_MARK } from '../../frontend/schema/schema_mark.ts';
import { shellWord } from '../../base/shell_word.ts';
import { VERSION } from '../../base/version.ts';
import { readRegular } from './read_file.ts';

/** Size in bytes of the beginning of a schema, which contains its version. */
const HEAD = 1000;

/** A warning if the schema that `init` wrote next to a workflow file is from an earlier version. */
export function staleSchema(file: string): string[] {
  if (file === '-') return [];
  const path = join(dirname(file), 'schema.json');
  const version = schemaVersion(path);
  if (version === undefined || !isEarlier(version, VERSION)) return [];
  const shown = redactPath(path);
  return [
    `${shown} is of version ${version}, older than this tool; to renew it: cli workflow schema --pretty >${shellWord(shown)}`,
  ];
}

/** The version of the tool that wrote a schema; undefined for any other file. */
export function schemaVersion(path: string): string | undefined {
  const file = readRegular(path);
  const head = file.ok ? file.value.toString('latin1', 0, HEAD) : '';
  const comment = /"\$comment": ?"([^"]+)"/.exec(head)?.[1];
  return comment?.startsWith(SCHEMA_MARK) === true ? comment.slice(SCHEMA_MARK.length) : undefined;
}

function isEarlier(one: string, other: string): boolean {
  const [earlier, later] = [numbersOf(one), numbersOf(other)];
  const index = earlier.findIndex((number, place) => number !== later[place]);
  return index !== -1 && (earlier[index] ?? 0) < (later[index] ?? 0);
}

/** Major, minor and patch. */
function numbersOf(version: string): number[] {
  return version.split(/[.-]/).slice(0, 3).map(Number);
}
