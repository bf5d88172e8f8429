import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { openRegular, readWhole } from '../../backend/system/regular_file.ts';

/** The maximum size of a file that is read, in bytes. */
const LIMIT = 1_048_576;

/** The maximum number of references that refer to each other, as in git. */
const DEPTH = 5;

/** An id of SHA-1 or SHA-256. */
export const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * The commit that is checked out around a directory, from the files of its repository: a process of git would delay the
 * first step. Undefined without one, or if it is stored otherwise. See https://git-scm.com/docs/gitrepository-layout
 */
export function headCommit(directory: string): string | undefined {
  let root = directory;
  while (!existsSync(join(root, '.git'))) {
    if (root === dirname(root)) return undefined;
    root = dirname(root);
  }
  // A work tree or a submodule has a file with the path of its directory.
  const linked = /^gitdir: (.+)$/.exec(textOf(join(root, '.git')) ?? '')?.[1];
  const own = resolve(root, linked ?? '.git');
  const shared = linked === undefined ? own : resolve(own, textOf(join(own, 'commondir')) ?? '.');
  let text = textOf(join(own, 'HEAD'));
  for (let depth = 0; depth < DEPTH && text !== undefined; depth += 1) {
    if (COMMIT.test(text)) return text;
    const name = /^ref: (refs\/.+)$/.exec(text)?.[1];
    if (name === undefined || name.includes('..')) return undefined;
    text = textOf(join(shared, name)) ?? packedCommit(shared, name);
  }
  return undefined;
}

/** The commit of a reference without a file of its own. */
function packedCommit(directory: string, name: string): string | undefined {
  const lines = textOf(join(directory, 'packed-refs'))?.split('\n');
  return lines?.find((line) => line.endsWith(` ${name}`))?.slice(0, -name.length - 1);
}

function textOf(path: string): string | undefined {
  const read = readWhole(openRegular(path), LIMIT);
  return typeof read === 'string' ? undefined : read.toString().trimEnd();
}
