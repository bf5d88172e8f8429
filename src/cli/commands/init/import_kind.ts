import { basename } from 'node:path';
import { keysOf } from '../../../base/keys.ts';

/** The kinds of files that `--from` converts, by the names of the files. */
const KINDS = {
  'package.json': /\.json$/i,
  justfile: /^\.?justfile$|\.just$/i,
  Taskfile: /^taskfile(?:\.dist)?\.ya?ml$/i,
  Makefile: /^(?:gnu)?makefile$|\.mk$/i,
} as const;

export type ImportKind = keyof typeof KINDS;

/** The kind of a file by its name; undefined for an unknown name. */
export function importKind(path: string): ImportKind | undefined {
  return keysOf(KINDS).find((kind) => KINDS[kind].test(basename(path)));
}

/** The `dir` of workflows for a file in a directory; undefined for the current directory. */
export function sourceDirectory(directory: string): string | undefined {
  return directory === '.' ? undefined : directory;
}
