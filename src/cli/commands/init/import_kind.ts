import { basename } from 'node:path';
import { keysOf } from '../../../base/keys.ts';
import { redactPath } from '../../command_line/redact.ts';

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

/** The problem with a file whose name is of no kind. */
export function unknownKind(path: string): string {
  return `cannot convert ${redactPath(path)}: '--from' takes a package.json, justfile, Taskfile.yml or Makefile`;
}

/** The problem with a file without parts that can be converted. */
export function nothingConverted(path: string, noun: string, leftOut: readonly string[]): string {
  return `${redactPath(path)} has no ${noun}s that can be ${leftOut.length === 0 ? 'run' : 'converted'}`;
}

/** The `dir` of workflows for a file in a directory; undefined for the current directory. */
export function sourceDirectory(directory: string): string | undefined {
  return directory === '.' ? undefined : directory;
}
